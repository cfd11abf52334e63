/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_cpu.h - where one CPU is in its machine */
#pragma once

#include <stdint.h>

#define TOPOLOGY_CPUS_MAX 8192
#define TOPOLOGY_WHY      100	/* bytes: why there is no topology */

/* An on-line CPU: the kernel takes others out of its topology. */
struct topology_cpu {
	uint32_t number;	/* the kernel's */
	int32_t package, node;	/* the kernel's numbers, -1: not reported */
	int32_t core;		/* counted from 0 over all packages, -1: not reported */
	int32_t thread;		/* of its core, from 0 */
};
