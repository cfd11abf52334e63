/* SPDX-License-Identifier: BSD-3-Clause */
/* used.h - how much of what it was given a job used: CPU, memory, GPUs, time, peaks of nodes */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

enum used_what {
	USED_CPU, USED_MEMORY, USED_GPU, USED_TIME,
	USED_FLOPS, USED_BANDWIDTH,	/* of the peaks of nodes that it had alone */
	USED_WHATS
};
extern const char *const used_names[USED_WHATS];	/* in JSON */

/* .of is 0 where it is not known what the job was given, or what it used. */
struct used {
	double n, of;		/* CPUs, bytes, GPUs, seconds; operations, bytes a second */
	bool at_least;		/* the part that was used: there may have been more, */
	bool at_most;		/* or less */
	bool measured;		/* .of is what was measured, of a peak */
	bool own;		/* CPU time that the job's own control group counted */
	double full;		/* .n when all of it works: the cores of CPUs that are threads */
};
struct used used_of(const struct report *r, enum used_what what);
struct used used_of_node(const struct report *r, size_t node, enum used_what what);

/* By its marks, else of a node of its own; 0: unknown. */
uint64_t cpus_given(const struct node *n);

static inline double used_percent(const struct used *u)
{
	return u->of > 0 ? 100 * u->n / u->of : 0;
}

/* Percent of the full use: above 100 where hardware threads share their cores. */
static inline double used_full_percent(const struct used *u)
{
	return u->full > 0 ? 100 * u->n / u->full : 0;
}

/* An object of those that are known: used, of and percent of each. */
void used_put_json(struct buf *b, const struct used used[USED_WHATS]);

bool report_is_shared(const struct report *r);	/* other jobs were on one of its nodes */
