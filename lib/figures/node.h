/* SPDX-License-Identifier: BSD-3-Clause */
/* node.h - a job on one node, from the records of its host */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "figures/allocation.h"
#include "figures/dynamics.h"
#include "figures/procs.h"
#include "figures/tally.h"
#include "schema/node_clock.h"
#include "schema/record_source.h"

struct node {
	char *name;
	int64_t start, end;	/* microseconds: first and last sample */
	int64_t wall_start, wall_end;	/* the same as the records have it, earliest and latest */
	int64_t usec;		/* as the job's: less than end - start if it ran twice */
	unsigned runs;
	unsigned no_begin, no_end;	/* runs without these marks, */
	unsigned later_end;	/* and whose end is that of a later begin */
	unsigned set_back;	/* samples older than the one before: the clock was set back */
	unsigned stepped;	/* times that it was set, and all is right by CLOCK_BOOTTIME */
	unsigned boots;		/* while the job was there */
	unsigned released;	/* times that hardware counters were, meanwhile */
	bool open;		/* the newest sample of the host is still the job's */
	size_t samples;
	size_t shared;		/* samples with other jobs on the node */
	size_t before;		/* samples that named the job before its begin mark, left out */
	size_t gaps;		/* two samples further apart than 2.5 times the median */
	int64_t interval;	/* the median, microseconds; 0 if there were fewer than 3 */
	int64_t longest, longest_at;	/* the longest gap and the sample before it */
	uint64_t bad_lines, devices_left_out;
	unsigned torn;		/* files that end in a torn sample */
	struct value *value;	/* of each figure */
	struct allocation allocation;
	char other_types[256];	/* types in the records without figures, */
	unsigned more_types;	/* and how many more there were */
	struct course course;
};

/*
 * CPU time of a job itself that its CPUs do not have in the time of its samples: it is the job's
 * since its control group was made, before the first of them.
 */
bool node_began_before(const struct node *node, double cpu_seconds);

/* From one begin mark, or first sample, of an id to its end. */
struct run {
	struct node node;
	struct procs procs;
	char user[64];		/* "": not known */
	bool by_uid;		/* .user is a number: there was no name */
	uint64_t nodes;		/* of the job, as the scheduler's hook has it; 0: not known */
};

/*
 * A query to each node: for a job, or, if .job is NULL, for all samples from .since to .until. All
 * zero but these is a valid one.
 */
struct node_query {
	const char *job;
	int64_t since, until;	/* microseconds, both of them are in it */
	const char *node;	/* only records of these, by name or pattern; NULL: all */
	const char *device;	/* only rows of these, a pattern as of fnmatch(3); NULL: all */
	struct figures table;	/* none: figures[] */
	void (*on_sample)(void *arg, const struct job_sample *t);	/* or NULL */
	void *arg;
	int64_t taken_from, taken_to;	/* only samples of this time are; both 0: all */
};
struct figures node_query_figures(const struct node_query *q);

/* The runs that were found, in the order in which they ended. runs_free() ends it. */
struct runs {
	struct run *run;
	size_t n, cap;
	int64_t start, end;	/* of all of them */
};
void runs_free(struct runs *runs);
void runs_join(struct runs *runs, struct runs *more);	/* and ends more */

/*
 * The search of one host: its records, file by file, in order of time. All pointers are borrowed;
 * what is found is added to the runs. While the job is away, records without it may be left out;
 * while it is here, none; in between, those that change nothing but the time.
 */
struct node_search *node_search_new(const struct node_query *q, const char *name,
				    struct runs *runs);
void node_search_begin_file(struct node_search *h);
void node_search_take(struct node_search *h, const struct record *r,
		      const struct node_moment *moment);
/* The lines that could not be read, and a torn end, are of the job if it is in the file: true. */
bool node_search_end_file(struct node_search *h, uint64_t bad_lines, bool torn);
bool node_search_is_here(const struct node_search *h);	/* the newest record was the job's */
bool node_search_is_away(const struct node_search *h);	/* the job is not here: not yet, or over */
void node_search_end(struct node_search *h);	/* closes a run that is open, and frees it */
