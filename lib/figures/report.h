/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - result of a query: a job on all of its nodes, or hosts over some time */
#pragma once

#include "figures/node.h"

/* Another job that had the same id. */
struct other_run {
	int64_t start, end;
	size_t nodes;
	char user[64];
};

/* A job that was on a node at the time .at of struct report. */
struct there {
	char *job;
	char user[64];		/* empty: not known */
};

/*
 * A job on all of its nodes: the newest job with the id .job between .since and .until. If .job is
 * NULL, all samples between .since and .until, of all hosts. To begin, set .job, .since and .until,
 * and leave all other members zero; report_free() releases all members but .there.
 */
struct report {
	const char *job;
	/* id as the user writes it, such as "12_3" for a task of a job array; NULL: like .job */
	const char *called;
	int64_t since, until;	/* microseconds, both inclusive */
	const char *device;	/* fnmatch(3) pattern of the devices to use; NULL: all */
	/* all runs that were found; runs_choose() computes .node to .end from them */
	struct runs found;
	struct node *node;
	size_t n;
	char user[64];		/* the job's user; empty: unknown */
	/* number of nodes according to the job's marks; 0: unknown */
	uint64_t nodes_allocated;
	struct other_run *other;	/* other jobs with the same id, sorted by start */
	size_t n_others;
	struct procs procs;
	int64_t start, end;	/* times of the first and last sample of all nodes, microseconds */
	/* if not 0: report only the two samples around this time, in microseconds */
	int64_t at;
	struct there *there;	/* jobs at the time .at that the caller may see */
	size_t n_there;
	/* number of files that could not be read: data of the job may be missing */
	size_t unreadable;
	/*
	 * message if data was left out because the caller has no permission to see it; else empty
	 */
	struct str left_out;
};

/* Move the runs found on one more node into .found of the report. */
void report_add(struct report *r, struct runs *runs);
void report_free(struct report *r);

/*
 * Return the job's allocation, each member from the first node where it is known. For exit code and
 * state, use ended_of() instead.
 */
struct allocation report_attributes(const struct report *r);

/* Return the name of a node for a report: without its domain if all nodes have the same domain. */
struct str node_name(const struct report *r, size_t node);

/*
 * Append the name of node `first`, as the first of n nodes: "n1", or "n1, ..." if n is larger than
 * 1.
 */
void report_put_nodes(struct buf *b, const struct report *r, size_t n, size_t first);
