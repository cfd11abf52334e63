/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - which core, package and NUMA node each CPU is in, as hwloc shows it */
#include "base/system/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/names.h"
#include "base/system/apart.h"
#include "base/system/topology_hwloc.h"

#define CPUS "sys/devices/system/cpu"

static void answer(void *arg)
{
	struct topology_answer *a = arg;
	topology_ask_hwloc(a);
	a->done = true;
}

static int by_number(const void *a, const void *b)
{
	const struct topology_cpu *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_core(const void *a, const void *b)
{
	const struct topology_cpu *x = a, *y = b;
	if (x->package != y->package)
		return x->package < y->package ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return by_number(a, b);
}

static void take_answer(struct topology *t, const struct topology_answer *a)
{
	t->n = a->n < TOPOLOGY_CPUS_MAX ? a->n : TOPOLOGY_CPUS_MAX;
	t->cpu = xrealloc(t->cpu, (t->n + 1) * sizeof(*t->cpu));
	memcpy(t->cpu, a->cpu, t->n * sizeof(*t->cpu));
	qsort(t->cpu, t->n, sizeof(*t->cpu), by_core);
	t->packages = t->cores = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct topology_cpu *c = &t->cpu[i], *before = i ? c - 1 : NULL;
		bool other = !before || before->package != c->package;
		t->packages += c->package >= 0 && other;
		t->cores += c->core >= 0 && (other || before->core != c->core);
	}
	qsort(t->cpu, t->n, sizeof(*t->cpu), by_number);
}

static int32_t read_id(const struct files *root, const char *cpu, const char *leaf)
{
	char path[320], buf[32];
	uint64_t id;
	snprintf(path, sizeof(path), CPUS "/%s/topology/%s", cpu, leaf);
	struct str line = files_line(root, path, buf, sizeof(buf));
	return str_take_u64(&line, &id) && id <= INT32_MAX ? (int32_t)id : -1;
}

/* Numbers of cores begin again in each package. */
static void count_cores(struct topology_answer *a)
{
	int32_t core = -1, package = -1, id = -1;
	qsort(a->cpu, a->n, sizeof(*a->cpu), by_core);
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
 * A captured tree may have nothing of what hwloc needs but the ids; the kernel always shows which
 * CPUs share a core and a package, too (Documentation/admin-guide/cputopology.rst).
 */
static void read_ids(struct topology_answer *a, const struct files *root)
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
			.package = read_id(root, name, "physical_package_id"),
			.core = read_id(root, name, "core_id"),
		};
		a->n += c->package >= 0;
	}
	names_free(&cpus);
	count_cores(a);
}

static bool has_packages(const struct topology_answer *a)
{
	for (size_t i = 0; i < a->n && i < TOPOLOGY_CPUS_MAX; i++)
		if (a->cpu[i].package >= 0)
			return true;
	return false;
}

static int load(struct topology *t, const struct files *root)
{
	struct topology_answer *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED) {
		str_copy(t->why, sizeof(t->why), str_of(strerror(errno)));
		return -ENOENT;
	}
	int r = apart_run(answer, a, root);
	if (r == 0 && !a->done)
		r = -EPIPE;
	a->why[sizeof(a->why) - 1] = '\0';
	str_copy(t->why, sizeof(t->why), r == -ETIMEDOUT ? STR("hwloc did not end in time") :
		 r == -EPIPE ? STR("hwloc crashed") : r < 0 ? str_of(strerror(-r)) :
		 str_of(a->why));
	if (r < 0)
		a->n = 0;
	if (root->in_root && !has_packages(a))
		read_ids(a, root);
	take_answer(t, a);
	if (!t->n && !t->why[0])	/* hwloc 2.4 does not say so */
		str_copy(t->why, sizeof(t->why), STR("no CPU is found in /sys"));
	munmap(a, sizeof(*a));
	return t->n ? 0 : -ENOENT;
}

int topology_look(struct topology *t, const struct files *root)
{
	char online[sizeof(t->online)];
	if (t->asked)
		return t->result;

	t->asked = true;
	struct str now = files_line(root, CPUS "/online", online, sizeof(online) - 1);
	if (t->result == 0 && t->cpu && str_eq(now, str_of(t->online)))
		return 0;
	str_copy(t->online, sizeof(t->online), now);
	t->result = load(t, root);
	return t->result;
}

void topology_free(struct topology *t)
{
	free(t->cpu);
	*t = (struct topology){ .asked = false };
}

const struct topology_cpu *topology_find(const struct topology *t, unsigned number)
{
	struct topology_cpu key = { .number = number };
	return t->n ? bsearch(&key, t->cpu, t->n, sizeof(*t->cpu), by_number) : NULL;
}
