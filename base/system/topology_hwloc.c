/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_hwloc.c - what hwloc is asked, in a process of its own */
#include "base/system/topology_hwloc.h"

#include "base/str.h"
#ifdef HAVE_HWLOC
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/system/library.h"

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
 * hwloc(7), "Environment Variables". Only files below the root are read: no library of a graphics
 * card or window system is loaded, no CPU is bound and asked by cpuid, and nothing that a user has
 * set counts.
 */
static const char *const environment[][2] = {
	{ "HWLOC_FSROOT",       "." },
	{ "HWLOC_COMPONENTS",   "linux,stop" },
	{ "HWLOC_PLUGINS_PATH", "/dev/null" },
	{ "HWLOC_HIDE_ERRORS",  "2" },
};

static hwloc_obj_t above(hwloc_obj_t o, hwloc_obj_type_t type)
{
	while (o && o->type != type)
		o = o->parent;
	return o;
}

static void take_cpu(const struct functions *f, hwloc_obj_t pu, struct topology_cpu *cpu)
{
	hwloc_obj_t core = above(pu, HWLOC_OBJ_CORE), package = above(pu, HWLOC_OBJ_PACKAGE);
	*cpu = (struct topology_cpu){
		.number = pu->os_index,
		.package = package ? (int32_t)package->os_index : -1,	/* -1 if hwloc has none */
		.node = pu->nodeset ? f->first(pu->nodeset) : -1,
		.core = core ? (int32_t)core->logical_index : -1,
		.thread = core ? (int32_t)pu->sibling_rank : 0,
	};
}

static void take_cpus(const struct functions *f, hwloc_topology_t t, struct topology_answer *a)
{
	int depth = f->type_depth(t, HWLOC_OBJ_PU);
	unsigned n = f->count(t, depth);
	for (unsigned i = 0; i < n && a->n < TOPOLOGY_CPUS_MAX; i++)
		take_cpu(f, f->object(t, depth, i), &a->cpu[a->n++]);
}

/*
 * The whole node, also where a control group allows this process a part of it. Of a package with
 * several NUMA nodes the part that each belongs to is a group.
 */
static int load(const struct functions *f, hwloc_topology_t t)
{
	if (f->set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE) < 0 ||
	    f->set_type_filter(t, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL) < 0 ||
	    f->set_type_filter(t, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) < 0 ||
	    f->set_type_filter(t, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE) < 0 ||
	    f->set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0)
		return -1;
	return f->load(t);
}

void topology_ask_hwloc(struct topology_answer *a)
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
	if (load(&f, t) == 0)
		take_cpus(&f, t, a);
	else
		snprintf(a->why, sizeof(a->why), "hwloc finds no CPU in /sys: %s", strerror(errno));
	f.destroy(t);
}
#else

void topology_ask_hwloc(struct topology_answer *a)
{
	str_copy(a->why, sizeof(a->why), STR("this program was built without hwloc"));
}
#endif
