/* SPDX-License-Identifier: BSD-3-Clause */
/* ended.h - how a job ended, in the words of Slurm's accounting */
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
 * Infer an unknown state from an exit code such as "3", "0:9" or "3:0". A failed job becomes
 * OUT_OF_MEMORY if the kernel killed some of its processes for memory.
 */
void ended_infer(struct job_end *e, bool killed_for_memory);

/* Return how the job ended, on the node where it ended worst. Unknown states are inferred. */
struct job_end ended_of(const struct report *r);

/* Compare two ends: true if `a` is worse. An unknown end is better than any other. */
bool ended_worse(const struct job_end *a, const struct job_end *b);
