/* SPDX-License-Identifier: BSD-3-Clause */
/* held_jobs.h - GPUs that jobs of this node have and do not use, from sample to sample */
#pragma once

#include "figures/held.h"
#include "recorder/jobs.h"

/* All zero is a valid empty one; held_jobs_free() ends it. */
struct held_jobs {
	size_t n, cap;
	struct held_job {
		char id[JOB_ID_MAX + 1];
		int64_t since_us;
		struct held held;
	} *job;
};

/* Of jobs whose begin says which GPUs they have; apart: at most so long between two samples. */
void held_jobs_take(struct held_jobs *h, const struct jobs *jobs, const struct record *sample,
		    int64_t apart_us);
/*
 * Lines "held JOB GPU SINCE USED SAMPLE" of GPUs that are idle, or not known: times, SINCE is "-"
 * if it is not known, USED if no process was on it.
 */
void held_jobs_put(const struct held_jobs *h, struct buf *b);
void held_jobs_free(struct held_jobs *h);
