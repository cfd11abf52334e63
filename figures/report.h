/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - a job on all of its nodes, or hosts in some time */
#pragma once

#include "figures/node.h"

/* A run of another job that had the same id. */
struct other_run {
	int64_t start, end;
	size_t nodes;
	char user[64];
};

/* A job that had a node at a moment. */
struct there {
	char *job;
	char user[64];		/* "": not known */
};

/*
 * A job on all nodes, the newest of its id that was there between .since and .until; or, if .job is
 * NULL, all samples of that time. All zero but these is a valid new one; report_free() ends it.
 */
struct report {
	const char *job;
	const char *called;	/* as its user writes it, "12_3" of an array; NULL: the same */
	int64_t since, until;	/* microseconds, both of them are in it */
	const char *device;	/* only rows of these, a pattern as of fnmatch(3); NULL: all */
	struct runs found;	/* as they were found; runs_choose() makes the rest of them */
	struct node *node;
	size_t n;
	char user[64];		/* of the job, "": not known */
	uint64_t nodes_asked;	/* the nodes that it had, as its marks have it; 0: not known */
	struct other_run *other;	/* in the order of their start */
	size_t n_others;
	struct procs procs;
	int64_t start, end;	/* of all nodes */
	int64_t at;		/* all samples: the two around this moment, if it is not 0, */
	struct there *there;	/* and the jobs of these; of who asked */
	size_t n_there;
	size_t unreadable;	/* files: what the job did there is not known */
	struct str left_out;	/* because it is not the asker's; nothing: all was there */
};

/* The runs of one node more, which are taken. */
void report_add(struct report *r, struct runs *runs);
void report_free(struct report *r);

/* A node as people read it: without the domain, if all nodes are of the same one. */
struct str node_name(const struct report *r, size_t node);

/* "n1", or "n1, ..." of several. */
void report_put_nodes(struct buf *b, const struct report *r, size_t n, size_t first);
