/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - find the core, package and NUMA node of each CPU with hwloc */
#include "base/system/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/names.h"
#include "base/system/apart.h"
#include "base/system/library.h"
#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

#define CPUS "sys/devices/system/cpu"

/* Result of the process that loads hwloc, in shared memory. */
struct topology_answer {
	bool done;		/* set last, when all other members are valid */
	size_t n;		/* number of CPUs; 0: .why has the reason */
	char why[TOPOLOGY_WHY];
	struct topology_cpu cpu[TOPOLOGY_CPUS_MAX];
};

#ifdef HAVE_HWLOC
struct functions {
	__typeof__(hwloc_topology_init) *init;
	__typeof__(hwloc_topology_set_flags) *set_flags;
	__typeof__(hwloc_topology_set_all_types_filter) *set_all_types_filter;
	__typeof__(hwloc_topology_set_type_filter) *set_type_filter;
	__typeof__(hwloc_topology_load) *load;
	__typeof__(hwloc_topology_destroy) *destroy;
	__typeof__(hwloc_get_type_depth) *type_depth;
	__typeof__(hwloc_get_nbobjs_by_depth) *count;
	__typeof__(hwloc_get_obj_by_depth) *object;
	__typeof__(hwloc_bitmap_first) *first;
};

#define SYMBOL(member, name) { name, offsetof(struct functions, member), false }
static const struct library_symbol symbols[] = {
	SYMBOL(init,                 "hwloc_topology_init"),
	SYMBOL(set_flags,            "hwloc_topology_set_flags"),
	SYMBOL(set_all_types_filter, "hwloc_topology_set_all_types_filter"),
	SYMBOL(set_type_filter,      "hwloc_topology_set_type_filter"),
	SYMBOL(load,                 "hwloc_topology_load"),
	SYMBOL(destroy,              "hwloc_topology_destroy"),
	SYMBOL(type_depth,           "hwloc_get_type_depth"),
	SYMBOL(count,                "hwloc_get_nbobjs_by_depth"),
	SYMBOL(object,               "hwloc_get_obj_by_depth"),
	SYMBOL(first,                "hwloc_bitmap_first"),
};

/*
 * Environment variables for hwloc(7): only read files below the root, load no graphics or window
 * system library, do not bind to CPUs to run cpuid, and ignore the user's settings.
 */
static const char *const environment[][2] = {
	{ "HWLOC_FSROOT",       "." },
	{ "HWLOC_COMPONENTS",   "linux,stop" },
	{ "HWLOC_PLUGINS_PATH", "/dev/null" },
	{ "HWLOC_HIDE_ERRORS",  "2" },
};

static hwloc_obj_t topology_ancestor(hwloc_obj_t o, hwloc_obj_type_t type)
{
	while (o && o->type != type)
		o = o->parent;
	return o;
}

static void topology_take_cpu(const struct functions *f, hwloc_obj_t pu, struct topology_cpu *cpu)
{
	hwloc_obj_t core = topology_ancestor(pu, HWLOC_OBJ_CORE);
	hwloc_obj_t package = topology_ancestor(pu, HWLOC_OBJ_PACKAGE);
	*cpu = (struct topology_cpu){
		.number = pu->os_index,
		.package = package ? (int32_t)package->os_index : -1,	/* -1 if hwloc has none */
		.node = pu->nodeset ? f->first(pu->nodeset) : -1,
		.core = core ? (int32_t)core->logical_index : -1,
		.thread = core ? (int32_t)pu->sibling_rank : 0,
	};
}

static void topology_take_cpus(const struct functions *f, hwloc_topology_t t,
			       struct topology_answer *a)
{
	int depth = f->type_depth(t, HWLOC_OBJ_PU);
	unsigned n = f->count(t, depth);
	for (unsigned i = 0; i < n && a->n < TOPOLOGY_CPUS_MAX; i++)
		topology_take_cpu(f, f->object(t, depth, i), &a->cpu[a->n++]);
}

/*
 * Load the topology of the whole node, even if a cgroup limits this process to a part. A package
 * with several NUMA nodes gets a group of CPUs for each.
 */
static int topology_load_tree(const struct functions *f, hwloc_topology_t t)
{
	if (f->set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE) < 0 ||
	    f->set_type_filter(t, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL) < 0 ||
	    f->set_type_filter(t, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) < 0 ||
	    f->set_type_filter(t, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE) < 0 ||
	    f->set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0)
		return -1;
	return f->load(t);
}

/*
 * Load libhwloc, and copy its topology to *a. The working directory is the root. Changes the
 * environment.
 */
static void ask_hwloc(struct topology_answer *a)
{
	struct functions f;
	hwloc_topology_t t;
	const char *why;

	clearenv();
	for (size_t i = 0; i < ARRAY_SIZE(environment); i++)
		setenv(environment[i][0], environment[i][1], 1);
	if (library_load("libhwloc.so.15", symbols, ARRAY_SIZE(symbols), &f, &why) < 0) {
		str_copy(a->why, sizeof(a->why), str_of(why));
		return;
	}
	if (f.init(&t) < 0)
		return;
	if (topology_load_tree(&f, t) == 0)
		topology_take_cpus(&f, t, a);
	else
		snprintf(a->why, sizeof(a->why), "hwloc finds no CPU in /sys: %s", strerror(errno));
	f.destroy(t);
}
#else
static void ask_hwloc(struct topology_answer *a)
{
	str_copy(a->why, sizeof(a->why), STR("this program was built without hwloc"));
}
#endif

static void topology_work(void *arg)
{
	struct topology_answer *a = arg;
	ask_hwloc(a);
	a->done = true;
}

static int topology_compare_numbers(const void *a, const void *b)
{
	const struct topology_cpu *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

static int topology_compare_cores(const void *a, const void *b)
{
	const struct topology_cpu *x = a, *y = b;
	if (x->package != y->package)
		return x->package < y->package ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return topology_compare_numbers(a, b);
}

static void topology_take_answer(struct topology *t, const struct topology_answer *a)
{
	t->n = a->n < TOPOLOGY_CPUS_MAX ? a->n : TOPOLOGY_CPUS_MAX;
	t->cpu = xrealloc(t->cpu, (t->n + 1) * sizeof(*t->cpu));
	memcpy(t->cpu, a->cpu, t->n * sizeof(*t->cpu));
	qsort(t->cpu, t->n, sizeof(*t->cpu), topology_compare_cores);
	t->packages = t->cores = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct topology_cpu *c = &t->cpu[i], *before = i ? c - 1 : NULL;
		bool other = !before || before->package != c->package;
		t->packages += c->package >= 0 && other;
		t->cores += c->core >= 0 && (other || before->core != c->core);
	}
	qsort(t->cpu, t->n, sizeof(*t->cpu), topology_compare_numbers);
}

static int32_t topology_read_id(const struct files *root, const char *cpu, const char *leaf)
{
	char path[320], buf[32];
	uint64_t id;
	snprintf(path, sizeof(path), CPUS "/%s/topology/%s", cpu, leaf);
	struct str line = files_line(root, path, buf, sizeof(buf));
	return str_take_u64(&line, &id) && id <= INT32_MAX ? (int32_t)id : -1;
}

/* Number the cores over all packages; the kernel numbers them per package. */
static void topology_number_cores(struct topology_answer *a)
{
	int32_t core = -1, package = -1, id = -1;
	qsort(a->cpu, a->n, sizeof(*a->cpu), topology_compare_cores);
	for (size_t i = 0; i < a->n; i++) {
		struct topology_cpu *c = &a->cpu[i];
		if (c->core < 0)
			continue;
		bool other = core < 0 || c->package != package || c->core != id;
		package = c->package;
		id = c->core;
		core += other;
		c->core = core;
		c->thread = other ? 0 : c[-1].thread + 1;
	}
}

/*
 * Read the package and core ids of the CPUs without hwloc, from files that every kernel has
 * (Documentation/admin-guide/cputopology.rst). A captured tree may have only these files.
 */
static void topology_read_ids(struct topology_answer *a, const struct files *root)
{
	struct names cpus = { .n = 0 };
	uint64_t number;
	a->n = 0;
	if (names_list(&cpus, root, CPUS, "cpu") < 0)
		return;
	for (size_t i = 0; i < cpus.n && a->n < TOPOLOGY_CPUS_MAX; i++) {
		const char *name = cpus.name[i];
		struct str rest = str_skip(str_of(name), 3);
		if (!str_take_u64(&rest, &number) || rest.n || number > UINT16_MAX)
			continue;
		struct topology_cpu *c = &a->cpu[a->n];
		*c = (struct topology_cpu){
			.number = (uint32_t)number, .node = -1,
			.package = topology_read_id(root, name, "physical_package_id"),
			.core = topology_read_id(root, name, "core_id"),
		};
		a->n += c->package >= 0;
	}
	names_free(&cpus);
	topology_number_cores(a);
}

static bool topology_has_packages(const struct topology_answer *a)
{
	for (size_t i = 0; i < a->n && i < TOPOLOGY_CPUS_MAX; i++)
		if (a->cpu[i].package >= 0)
			return true;
	return false;
}

static int topology_load(struct topology *t, const struct files *root)
{
	struct topology_answer *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED) {
		str_copy(t->why, sizeof(t->why), str_of(strerror(errno)));
		return -ENOENT;
	}
	int r = apart_run(topology_work, a, root);
	if (r == 0 && !a->done)
		r = -EPIPE;
	a->why[sizeof(a->why) - 1] = '\0';
	str_copy(t->why, sizeof(t->why), r == -ETIMEDOUT ? STR("hwloc did not end in time") :
		 r == -EPIPE ? STR("hwloc crashed") : r < 0 ? str_of(strerror(-r)) :
		 str_of(a->why));
	if (r < 0)
		a->n = 0;
	if (root->in_root && !topology_has_packages(a))
		topology_read_ids(a, root);
	topology_take_answer(t, a);
	if (!t->n && !t->why[0])	/* hwloc 2.4 gives no reason */
		str_copy(t->why, sizeof(t->why), STR("no CPU is found in /sys"));
	munmap(a, sizeof(*a));
	return t->n ? 0 : -ENOENT;
}

int topology_look(struct topology *t, const struct files *root)
{
	char online[sizeof(t->online)];
	if (t->checked)
		return t->result;

	t->checked = true;
	struct str now = files_line(root, CPUS "/online", online, sizeof(online) - 1);
	if (t->result == 0 && t->cpu && str_eq(now, str_of(t->online)))
		return 0;
	str_copy(t->online, sizeof(t->online), now);
	t->result = topology_load(t, root);
	return t->result;
}

void topology_free(struct topology *t)
{
	free(t->cpu);
	*t = (struct topology){ .checked = false };
}

const struct topology_cpu *topology_find(const struct topology *t, unsigned number)
{
	struct topology_cpu key = { .number = number };
	return t->n ? bsearch(&key, t->cpu, t->n, sizeof(*t->cpu), topology_compare_numbers) : NULL;
}
