/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours.h - separate the work of a job from that of programs outside the job on its nodes */
#pragma once

#include "figures/report.h"

/* CPU seconds on one node during the job, by who used them. */
struct neighbours {
	bool known;	/* the CPU times of the job itself and of the node are known */
	bool at_least;	/* .own is a lower bound, and .others an upper bound */
	double own;	/* CPU time of the job */
	/* CPU time of programs outside the job; 0 if it is no more than an idle node needs */
	double others;
	double idle;	/* CPU time not used by any program, or waiting for I/O */
	double whole;	/* CPU time of all CPUs of the node */
};
struct neighbours neighbours_of(const struct report *r, size_t node);

/*
 * Whether counters of the whole node describe the job. This is so if the job had the node alone,
 * and no program outside the job worked there.
 */
bool node_is_own(const struct report *r, size_t node);
bool nodes_are_own(const struct report *r);	/* node_is_own() for all nodes of the job */

/*
 * Whether the samples are from "nodometer run". Its sampler follows each process of its command, so
 * all CPU time in type job is the job's. Such samples have the memory of the job's programs, but no
 * memory of a cgroup.
 */
bool node_is_from_run(const struct node *n);
/* Whether a run followed the processes on all nodes of the job, with at least this many samples. */
bool nodes_were_followed(const struct report *r, size_t samples);

/*
 * Whether counters of the node's disks describe the job: the job had the node alone and, according
 * to its own counters, caused a large enough part of the bytes that the disks moved.
 */
bool disks_are_own(const struct report *r, size_t node);

/*
 * Compute how much of the allocated CPU time was lost to programs outside the job. given: CPU
 * seconds allocated to the job; used: CPU seconds that the job used.
 */
double neighbours_took(const struct neighbours *n, double given, double used);
