/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h - write CPU topology files as in sysfs (Documentation/admin-guide/cputopology.rst) */
#pragma once

#include <dlfcn.h>
#include "tests/unit/tree.h"

#define CPU_FOLDER  "sys/devices/system/cpu"
#define NODE_FOLDER "sys/devices/system/node"

/*
 * Skip the test if hwloc is missing. Tests that call this function treat their files as a live
 * node, and the topology of a live node is read through hwloc only.
 */
static inline void need_hwloc(void)
{
#ifdef HAVE_HWLOC
	void *library = dlopen("libhwloc.so.15", RTLD_LAZY);
	if (library) {
		dlclose(library);
		return;
	}
#endif
	print_message("skipped: no libhwloc.so.15\n");
	skip();
}

/*
 * A simulated machine. Its CPU numbers first count one thread of each core, package by package,
 * then the second threads in the same order.
 */
struct machine {
	unsigned cpus, packages, threads;
	unsigned nodes;			/* number of NUMA nodes, or 0 for a kernel without NUMA */
	unsigned off, n_off;		/* first offline CPU, and number of offline CPUs */
};

static inline unsigned machine_core(const struct machine *m, unsigned cpu)
{
	return cpu % (m->cpus / m->threads);
}

/*
 * Split all cores into `parts` equal parts (packages, nodes or cores). Returns the index of the
 * part that contains the CPU.
 */
static inline unsigned machine_part(const struct machine *m, unsigned parts, unsigned cpu)
{
	return machine_core(m, cpu) / (m->cpus / m->threads / parts);
}

static inline bool machine_has(const struct machine *m, unsigned cpu)
{
	return cpu < m->cpus && (cpu < m->off || cpu >= m->off + m->n_off);
}

static inline PRINTF(3, 4) void machine_file(const struct tree *t, struct str text,
					     const char *fmt, ...)
{
	char path[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	tree_put(t, path, text);
}

/* Format the on-line CPUs of one part as sysfs does, for example "00000001,ffffffff". */
static inline struct str machine_mask(const struct machine *m, unsigned parts, unsigned part,
				      char *to, size_t size)
{
	size_t n = 0;
	for (unsigned word = (m->cpus + 31) / 32; word-- > 0; ) {
		unsigned bits = 0;
		for (unsigned i = 0; i < 32; i++)
			if (machine_has(m, word * 32 + i) &&
			    machine_part(m, parts, word * 32 + i) == part)
				bits |= 1u << i;
		n += (size_t)snprintf(to + n, size - n, "%08x%s", bits, word ? "," : "\n");
		assert_true(n < size);
	}
	return (struct str){ to, n };
}

static inline void machine_number(const struct tree *t, unsigned cpu, const char *leaf, unsigned v)
{
	char text[16];
	snprintf(text, sizeof(text), "%u\n", v);
	machine_file(t, str_of(text), CPU_FOLDER "/cpu%u/topology/%s", cpu, leaf);
}

static inline void machine_put_cpu(const struct tree *t, const struct machine *m, unsigned cpu)
{
	char mask[2048];
	unsigned cores = m->cpus / m->threads;
	unsigned package = machine_part(m, m->packages, cpu), core = machine_core(m, cpu);
	machine_number(t, cpu, "physical_package_id", package);
	machine_number(t, cpu, "core_id", core % (cores / m->packages));
	machine_file(t, machine_mask(m, m->packages, package, mask, sizeof(mask)),
		     CPU_FOLDER "/cpu%u/topology/core_siblings", cpu);
	machine_file(t, machine_mask(m, cores, core, mask, sizeof(mask)),
		     CPU_FOLDER "/cpu%u/topology/thread_siblings", cpu);
}

static inline void machine_drop_cpu(const struct tree *t, unsigned cpu)
{
	static const char *const leaves[] = {
		"/physical_package_id", "/core_id", "/core_siblings", "/thread_siblings", "",
	};
	char path[128];
	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++) {
		snprintf(path, sizeof(path), CPU_FOLDER "/cpu%u/topology%s", cpu, leaves[i]);
		assert_true(unlinkat(t->fd, path, *leaves[i] ? 0 : AT_REMOVEDIR) == 0 ||
			    errno == ENOENT);
	}
}

static inline void machine_put_nodes(const struct tree *t, const struct machine *m)
{
	char text[2048];
	snprintf(text, sizeof(text), "0-%u\n", m->nodes - 1);
	tree_put(t, NODE_FOLDER "/online", str_of(text));
	for (unsigned i = 0; i < m->nodes; i++) {
		machine_file(t, machine_mask(m, m->nodes, i, text, sizeof(text)),
			     NODE_FOLDER "/node%u/cpumap", i);
		snprintf(text, sizeof(text), "Node %u MemTotal:  1048576 kB\n", i);
		machine_file(t, str_of(text), NODE_FOLDER "/node%u/meminfo", i);
	}
}

/* Write all topology files of the machine, replacing those that the tree already has. */
static inline void machine_put(const struct tree *t, const struct machine *m)
{
	char online[64];
	size_t n = 0;
	for (unsigned cpu = 0; cpu < m->cpus; cpu++) {
		bool here = machine_has(m, cpu);
		machine_file(t, here ? STR("1\n") : STR("0\n"), CPU_FOLDER "/cpu%u/online", cpu);
		if (here)
			machine_put_cpu(t, m, cpu);
		else
			machine_drop_cpu(t, cpu);
		if (here && (cpu == 0 || !machine_has(m, cpu - 1)))
			n += (size_t)snprintf(online + n, sizeof(online) - n, "%s%u-",
					      n ? "," : "", cpu);
		if (here && !machine_has(m, cpu + 1))
			n += (size_t)snprintf(online + n, sizeof(online) - n, "%u", cpu);
	}
	tree_put(t, CPU_FOLDER "/online", (struct str){ online, n });
	if (m->nodes)
		machine_put_nodes(t, m);
}
