/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - which core, package and NUMA node each CPU is in, as hwloc shows it */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/files.h"

#define TOPOLOGY_CPUS_MAX 8192
#define TOPOLOGY_WHY      100	/* bytes: why there is no topology */

/* An on-line CPU: the kernel takes others out of its topology. */
struct topology_cpu {
	uint32_t number;	/* the kernel's */
	int32_t package, node;	/* the kernel's numbers, -1: not reported */
	int32_t core;		/* counted from 0 over all packages, -1: not reported */
	int32_t thread;		/* of its core, from 0 */
};

/* All zero is one that nobody asked for yet; topology_free() ends it. */
struct topology {
	bool asked;		/* set to false: ask again whether CPUs came or went */
	int result;
	struct topology_cpu *cpu;	/* by their numbers */
	size_t n, packages, cores;
	char online[1024];	/* the list of CPUs that this was made of */
	char why[TOPOLOGY_WHY];		/* without a topology: the reason */
};

/*
 * Looks, where it was not .asked since, at the list of CPUs below the root that are on-line, and
 * asks hwloc if that is another than the last time. It does so in a process of its own: the library
 * costs the caller no memory, and a tree that makes it fail or hang costs a topology. 0, or -ENOENT
 * and .why: libhwloc is not installed, or makes nothing of this tree.
 */
int topology_look(struct topology *t, const struct files *root) MUST_CHECK;
void topology_free(struct topology *t);

/* NULL: it is off-line, or there is none of this number. */
const struct topology_cpu *topology_find(const struct topology *t, unsigned number);
