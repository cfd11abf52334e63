/* SPDX-License-Identifier: BSD-3-Clause */
/* allocation.h - a job's allocation on a node, from the attributes of the job's marks */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "schema/record.h"

#define GPUS_MAX 256	/* GPU numbers are 0 to GPUS_MAX - 1 */

/*
 * Set has[i] for each GPU number in a list such as "0,1,3" or "0-3" (SLURM_JOB_GPUS). Returns 0, or
 * -EINVAL if the text has another form, or a number of GPUS_MAX or more.
 */
int gpu_list(struct str text, bool has[GPUS_MAX]) MUST_CHECK;

/* A job's allocation on one node. A member that is 0 or "" is unknown. */
struct allocation {
	char name[128], account[64], partition[64];
	char exit[16], state[32];
	uint64_t uid;		/* uid of the job's user; 0: unknown, or root */
	uint64_t cpus, mem;	/* number of CPUs, and bytes of memory, allocated on the node */
	uint64_t limit;		/* the job's time limit in seconds */
	uint64_t gpus;		/* number of GPUs allocated on the node, if .gpus_known */
	bool gpus_known;
};

void allocation_take(struct allocation *a, const struct record *r, struct str job);
/*
 * Copy members that are unknown in `to` from `from`, the allocation of the same job on another node
 * or in another run.
 */
void allocation_add(struct allocation *to, const struct allocation *from);
