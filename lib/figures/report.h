/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - a job on all of its nodes, or hosts over some time */
#pragma once

#include "figures/node.h"

/* A run of another job that had the same id. */
struct other_run {
	int64_t start, end;
	size_t nodes;
	char user[64];
};

/* A job that was on a node at a given moment. */
struct there {
	char *job;
	char user[64];		/* empty: not known */
};

/*
 * A job on all nodes: the newest with its id between .since and .until; or, if .job is NULL, all
 * samples of that time. All zero but these is a valid new report; report_free() releases it.
 */
struct report {
	const char *job;
	/* id as the user writes it, such as "12_3" of an array; NULL: same as .job */
	const char *called;
	int64_t since, until;	/* microseconds, both inclusive */
	const char *device;	/* fnmatch(3) pattern of the devices to use; NULL: all */
	/* runs that were found; runs_choose() makes the members below from them */
	struct runs found;
	struct node *node;
	size_t n;
	char user[64];		/* user of the job; empty: not known */
	uint64_t nodes_asked;	/* number of nodes of the job, from its marks; 0: not known */
	struct other_run *other;	/* sorted by start */
	size_t n_others;
	struct procs procs;
	int64_t start, end;	/* first and last sample of all nodes */
	int64_t at;		/* if not 0: report only the two samples around this moment */
	struct there *there;	/* jobs at .at that the caller may see */
	size_t n_there;
	size_t unreadable;	/* unreadable files: the job's use during their time is unknown */
	/* note on data left out because the caller may not see it; empty: all data is there */
	struct str left_out;
};

/* Move the runs of one more node into the report. */
void report_add(struct report *r, struct runs *runs);
void report_free(struct report *r);

/* Return the facts that the marks of all nodes have. For exit code and state use ended_of(). */
struct allocation report_attributes(const struct report *r);

/* Return a node's name for people: without the domain if all nodes have the same one. */
struct str node_name(const struct report *r, size_t node);

/* Append "n1", or "n1, ..." for several nodes. */
void report_put_nodes(struct buf *b, const struct report *r, size_t n, size_t first);
