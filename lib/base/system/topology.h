/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - find the core, package and NUMA node of each CPU with hwloc */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/files.h"

#define TOPOLOGY_CPUS_MAX 8192
#define TOPOLOGY_WHY      100	/* size of the reason why there is no topology */

/* An online CPU. The kernel removes offline CPUs from its topology. */
struct topology_cpu {
	uint32_t number;	/* CPU number of the kernel */
	int32_t package, node;	/* the kernel's package and NUMA node numbers; -1 if unknown */
	/* number of the core, from 0 over all packages; -1 if unknown */
	int32_t core;
	int32_t thread;		/* number of the thread within its core, from 0 */
};

/* A topology; all zero: not read yet. topology_free() releases it. */
struct topology {
	/* the topology was read; set this to false to look for changes */
	bool checked;
	int result;
	struct topology_cpu *cpu;	/* CPUs, ordered by number */
	size_t n, packages, cores;
	char online[1024];	/* the kernel's list of online CPUs when the topology was read */
	char why[TOPOLOGY_WHY];		/* why the topology could not be read */
};

/*
 * Update the topology unless .checked is set: run hwloc if the list of online CPUs below the root
 * has changed, or if the last attempt failed. hwloc runs in a child process, so that it uses no
 * memory of the caller and may fail or hang. If it fails in a captured tree, packages and cores are
 * read without it, but no NUMA nodes. Returns 0; or -ENOENT with a reason in .why if libhwloc is
 * not installed or cannot read this tree.
 */
int topology_look(struct topology *t, const struct files *root) MUST_CHECK;
void topology_free(struct topology *t);

/* Find a CPU by its number. Returns NULL if it is offline or missing. */
const struct topology_cpu *topology_find(const struct topology *t, unsigned number);
