/* SPDX-License-Identifier: BSD-3-Clause */
/* used.h - efficiency: how much of its allocation, and of its nodes' peaks, a job used */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

enum used_what {
	USED_CPU, USED_MEMORY, USED_GPU, USED_TIME,
	/* rates in relation to the peaks of the nodes that the job had alone */
	USED_FLOPS, USED_BANDWIDTH,
	USED_WHATS
};
extern const char *const used_names[USED_WHATS];	/* names in JSON */

/*
 * Use of one resource, compared with the allocation. .of is 0 if the allocation or the use is
 * unknown.
 */
struct used {
	/*
	 * use and allocation (or peak): CPUs, bytes, GPUs, seconds; operations or bytes per second
	 */
	double n, of;
	bool at_least;		/* the job may have used more */
	bool at_most;		/* the job may have used less */
	bool measured;		/* .of is a peak that "nodometer peak" measured */
	bool has_cache;		/* .n includes page cache, which the kernel can reclaim */
	bool own;		/* .n is CPU time that the job's cgroup counted */
	/*
	 * .n at which the CPUs are fully used: the number of cores if the CPUs are hardware threads
	 */
	double full;
};
struct used used_of(const struct report *r, enum used_what what);
struct used used_of_node(const struct report *r, size_t node, enum used_what what);

/*
 * Return the number of CPUs allocated to the job according to its marks. If the marks do not tell,
 * return all CPUs of a node that the job had alone; 0 if unknown.
 */
uint64_t cpus_given(const struct node *n);

static inline double used_percent(const struct used *u)
{
	return u->of > 0 ? 100 * u->n / u->of : 0;
}

/* Compute .n as percentage of .full. It exceeds 100 if hardware threads of the same core worked. */
static inline double used_full_percent(const struct used *u)
{
	return u->full > 0 ? 100 * u->n / u->full : 0;
}

/* Append an object with used, of and percent for each known resource. */
void used_put_json(struct buf *b, const struct used used[USED_WHATS]);

/* return true if other jobs were on one of the job's nodes */
bool report_is_shared(const struct report *r);
