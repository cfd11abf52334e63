/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * used.h - efficiency: how much of its allocation, and of its nodes' peak performance, a job used
 */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

enum used_what {
	USED_CPU, USED_MEMORY, USED_GPU, USED_TIME,
	/* rates, compared with the peak performance of nodes that the job had alone */
	USED_FLOPS, USED_BANDWIDTH,
	USED_WHATS
};
extern const char *const used_names[USED_WHATS];	/* names in JSON */

/*
 * Use of one resource, compared with the allocation. .of is 0 if the use or the allocation is
 * unknown.
 */
struct used {
	/*
	 * use, and allocation or peak: in CPUs, bytes, GPUs, seconds, operations per second or
	 * bytes per second
	 */
	double n, of;
	bool at_least;		/* the job may have used more */
	bool at_most;		/* the job may have used less */
	bool measured;		/* .of is a peak that "nodometer peak" measured */
	bool has_cache;		/* .n includes page cache, which the kernel can reclaim */
	/* .n comes from CPU time of the job itself (type job) */
	bool from_job;
	/*
	 * .n of a job that uses all of its CPUs: the number of cores, if CPUs are hardware threads;
	 * for resources other than CPUs, .of
	 */
	double full;
};
struct used used_of(const struct report *r, enum used_what what);
struct used used_of_node(const struct report *r, size_t node, enum used_what what);

/*
 * Return the number of CPUs allocated to the job on a node, from its marks. If marks lack it,
 * return all CPUs of the node if the job had the node alone, else 0 (unknown).
 */
uint64_t cpus_given(const struct node *n);

static inline double used_percent(const struct used *u)
{
	return u->of > 0 ? 100 * u->n / u->of : 0;
}

/*
 * Return .n as percentage of .full. The result exceeds 100 if several hardware threads of a core
 * worked.
 */
static inline double used_full_percent(const struct used *u)
{
	return u->full > 0 ? 100 * u->n / u->full : 0;
}

/* Append, for each known resource, a JSON object with the members used, of and percent. */
void used_put_json(struct buf *b, const struct used used[USED_WHATS]);

/* Return true if other jobs were on a node of the job. */
bool report_is_shared(const struct report *r);
