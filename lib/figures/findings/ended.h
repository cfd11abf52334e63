/* SPDX-License-Identifier: BSD-3-Clause */
/* ended.h - exit code and state of a job, in the words of Slurm's accounting */
#pragma once

#include "figures/report.h"

#define STATE_COMPLETED     "COMPLETED"
#define STATE_FAILED        "FAILED"
#define STATE_CANCELLED     "CANCELLED"
#define STATE_OUT_OF_MEMORY "OUT_OF_MEMORY"

struct job_end {
	char exit[16], state[32];	/* "" if unknown */
};

/*
 * Set .state, if it is unknown, from .exit, an exit code such as "3", "0:9" or "3:0". Changes the
 * state of a failed job to OUT_OF_MEMORY if the kernel killed some of its processes for memory.
 */
void ended_infer(struct job_end *e, bool killed_for_memory);

/*
 * Return how the job ended on the node where it ended worst. An unknown state is inferred by
 * ended_infer().
 */
struct job_end ended_of(const struct report *r);

/* Return true if `a` is a worse end than `b`. An unknown end is better than all others. */
bool ended_worse(const struct job_end *a, const struct job_end *b);
