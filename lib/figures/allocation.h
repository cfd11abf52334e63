/* SPDX-License-Identifier: BSD-3-Clause */
/* allocation.h - a job's share of a node, read from the attributes of its marks */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "schema/record.h"

#define GPUS_MAX 256	/* limit of GPU numbers, which begin at 0 */

/*
 * Parse a list of GPU numbers, "0,1,3" or "0-3" (SLURM_JOB_GPUS). Returns 0, or -EINVAL if text has
 * another form, or a number of GPUS_MAX or more.
 */
int gpu_list(struct str text, bool has[GPUS_MAX]) MUST_CHECK;

/* A job's allocation on one node. All zero: nothing is known. */
struct allocation {
	char name[128], account[64], partition[64];
	char exit[16], state[32];
	uint64_t uid;		/* uid of the job's user; 0: unknown, or root */
	uint64_t cpus, mem;	/* allocated CPUs of this node, and bytes of its memory */
	uint64_t limit;		/* the job's time limit in seconds */
	uint64_t gpus;		/* number of GPUs that the mark lists as allocated */
	bool gpus_known;
};

void allocation_take(struct allocation *a, const struct record *r, struct str job);
/*
 * Fill the unknown members of `to` from `from`, the allocation of the same job on another node or
 * in another run.
 */
void allocation_add(struct allocation *to, const struct allocation *from);
