/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours.h - separate the work of a job from that of programs outside the job on its nodes */
#pragma once

#include "figures/report.h"

/* CPU seconds on one node during the job: used by the job, used by other programs, and idle. */
struct neighbours {
	bool known;	/* the CPU time of the job itself, and that of the node, are known */
	bool at_least;	/* .job is a lower bound, and .others an upper bound */
	double job;	/* CPU time of the job */
	/* CPU time of programs outside the job; 0 if at most 10 % of .job plus 2 % of .capacity */
	double others;
	double idle;	/* idle CPU time, including waits for I/O */
	double capacity;	/* CPU time that all CPUs of the node could give */
};
struct neighbours neighbours_of(const struct report *r, size_t node);

/*
 * Whether the node's counters describe the job: the job had the node alone, and no program outside
 * the job is known to have used CPU time there.
 */
bool node_is_exclusive(const struct report *r, size_t node);
/* Whether node_is_exclusive() is true for all nodes of the job. */
bool nodes_are_exclusive(const struct report *r);

/*
 * Whether "nodometer run" took the samples. "nodometer run" follows each process of its command, so
 * type job has the CPU time of exactly these processes. It records the memory of programs, but not
 * of a cgroup.
 */
bool node_is_from_run(const struct node *n);
/* Whether "nodometer run" recorded all nodes of the job, each with at least this many samples. */
bool nodes_were_followed(const struct report *r, size_t samples);

/*
 * Whether the counters of the node's disks describe the job: the job had the node alone, and caused
 * a large enough part of the bytes that the disks moved.
 */
bool disks_are_exclusive(const struct report *r, size_t node);

/*
 * Return how many CPU seconds of the job's allocation were used by programs outside the job; 0 if
 * unknown. given: CPU seconds allocated to the job; used: CPU seconds that the job used.
 */
double neighbours_took(const struct neighbours *n, double given, double used);
