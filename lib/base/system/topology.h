/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - find the core, package and NUMA node of each CPU with hwloc */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/files.h"

#define TOPOLOGY_CPUS_MAX 8192
#define TOPOLOGY_WHY      100	/* bytes of the reason why there is no topology */

/* An online CPU. The kernel removes offline CPUs from its topology. */
struct topology_cpu {
	uint32_t number;	/* the kernel's number of this CPU */
	int32_t package, node;	/* the kernel's numbers of the package and node; -1 if unknown */
	/* number of the core, counted over all packages from 0; -1 if unknown */
	int32_t core;
	int32_t thread;		/* number of the thread within its core, from 0 */
};

/* A topology. All zero is a topology that was not read yet; topology_free() releases it. */
struct topology {
	/* whether the list of CPUs is up to date; clear .asked to check again */
	bool asked;
	int result;
	struct topology_cpu *cpu;	/* CPUs, ordered by number */
	size_t n, packages, cores;
	char online[1024];	/* list of online CPUs that this topology describes */
	char why[TOPOLOGY_WHY];		/* reason if there is no topology */
};

/*
 * Update the topology unless .asked is set: read the list of online CPUs below the root, and ask
 * hwloc if the list changed. hwloc runs in a process of its own, so that the library costs the
 * caller no memory, and a failure or hang of hwloc costs only the topology. Returns 0; or -ENOENT
 * with a reason in .why if libhwloc is not installed or cannot read this tree.
 */
int topology_look(struct topology *t, const struct files *root) MUST_CHECK;
void topology_free(struct topology *t);

/* Find a CPU by its number. Returns NULL if it is offline or does not exist. */
const struct topology_cpu *topology_find(const struct topology *t, unsigned number);
