/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours.h - separate the work of a job from that of other programs on its nodes */
#pragma once

#include "figures/report.h"

/* CPU seconds on one node during the job. */
struct neighbours {
	bool known;	/* the job's own CPU time and that of the node are known */
	bool at_least;	/* .own is a lower bound, and .others an upper bound */
	double own;	/* CPU time of the job */
	double others;	/* other programs; 0 if no more than a node itself needs */
	double idle;	/* CPUs that did nothing, or waited for I/O */
	double whole;	/* all CPUs of the node */
};
struct neighbours neighbours_of(const struct report *r, size_t node);

/*
 * Whether counters of the whole node describe the job: the job had the node alone, and no other
 * program worked there.
 */
bool node_is_own(const struct report *r, size_t node);
bool nodes_are_own(const struct report *r);	/* the same for all nodes of the job */

/*
 * Whether the samples are from nodometer run. Its sampler follows each process of its command, so
 * all CPU time is the job's. It has the memory of programs, but no control group that counts
 * charged memory.
 */
bool node_is_from_run(const struct node *n);

/*
 * Like node_is_own(), for counters of disks, judged by the bytes that the job's own counters have.
 */
bool disks_are_own(const struct report *r, size_t node);

/*
 * Compute the CPU seconds that other programs took from the given time, so that the job could not
 * use them. given and used are CPU seconds of the job.
 */
double neighbours_took(const struct neighbours *n, double given, double used);
