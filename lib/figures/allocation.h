/* SPDX-License-Identifier: BSD-3-Clause */
/* allocation.h - a job's share of a node, as the attributes of its marks have it */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "schema/record.h"

#define GPUS_MAX 256	/* numbers of GPUs are below */

/* "0,1,3" or "0-3", as Slurm says it (SLURM_JOB_GPUS). 0, or -EINVAL: anything else. */
int gpu_list(struct str text, bool has[GPUS_MAX]) MUST_CHECK;

/* On one node. All zero: nothing is known. */
struct allocation {
	char name[64], account[64], partition[64];
	char exit[16], state[32];
	uint64_t cpus, mem;	/* of this node; bytes */
	uint64_t limit;		/* seconds */
	uint64_t gpus;		/* how many are listed */
	bool gpus_known;
};

void allocation_take(struct allocation *a, const struct record *r, struct str job);
/* Adds facts of another node, or of another run, that are not known yet. */
void allocation_add(struct allocation *to, const struct allocation *from);
