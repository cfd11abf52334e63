/* SPDX-License-Identifier: BSD-3-Clause */
/* node.h - find a job in the records of one host */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "figures/allocation.h"
#include "figures/dynamics.h"
#include "figures/job.h"
#include "figures/procs.h"
#include "figures/bystanders.h"
#include "figures/tally.h"
#include "schema/node_clock.h"
#include "schema/record_source.h"

struct node {
	char *name;
	int64_t start, end;	/* times of the first and last sample, microseconds */
	/*
	 * only for a run without an end mark: time of the first record after .end that does not
	 * list the job, or in which the job begins again; 0: none
	 */
	int64_t left;
	/* earliest and latest sample time as recorded, before clock steps were corrected */
	int64_t wall_start, wall_end;
	int64_t usec;	/* duration, microseconds; less than .end - .start if the job ran twice */
	unsigned runs;
	/* number of runs without a begin mark; number of runs without an end mark */
	unsigned no_begin, no_end;
	/* number of runs whose end is known only because a later job began */
	unsigned later_end;
	/* number of samples whose time is before the previous sample, because the clock was set */
	unsigned set_back;
	/* number of clock steps that CLOCK_BOOTTIME shows */
	unsigned stepped;
	unsigned boots;		/* number of boots during the job */
	/* number of times that the hardware counters were released during the job */
	unsigned released;
	bool open;		/* the newest sample of the host still belongs to the job */
	size_t samples;
	size_t shared;		/* number of samples with other jobs on the node */
	/* number of samples left out because they precede the begin mark */
	size_t before;
	size_t gaps;		/* number of intervals longer than 2.5 times the median */
	/* median time between samples, microseconds; 0 if there were fewer than 3 intervals */
	int64_t interval;
	/* longest interval of .gaps, and time of the sample before it; 0: none */
	int64_t longest, longest_at;
	/* .devices_left_out: number of rows left out, because there were too many devices */
	uint64_t bad_lines, devices_left_out;
	unsigned torn;		/* number of files that end in an incomplete sample */
	struct value *value;	/* value of each figure */
	struct allocation allocation;
	char other_types[256];	/* names of the record types that have no figures */
	/* number of further types without figures, for which .other_types has no room */
	unsigned more_types;
	struct course course;
	/* programs outside the job, from type process; none for a run without an end mark */
	struct bystander bystander[BYSTANDERS_NAMED];
};

/*
 * Whether the job used more CPU time than all CPUs could give between its first and last sample:
 * then it began before the first sample, since its cgroup counts from its creation.
 */
bool node_began_before(const struct node *node, double cpu_seconds);

/*
 * A run of a job on one node, from its begin mark (or the first sample that lists it) to its end.
 */
struct run {
	struct node node;
	struct procs procs;
	struct job_owner owner;
	uint64_t nodes;	/* number of nodes of the job, from the scheduler's hook; 0: unknown */
};

/*
 * A query to each node: find the job .job or, if .job is NULL, take all samples from .since to
 * .until. All other members may be zero.
 */
struct node_query {
	const char *job;
	int64_t since, until;	/* microseconds, both inclusive */
	const char *node;	/* name or pattern of the hosts to search; NULL: all */
	const char *device;	/* fnmatch(3) pattern of the devices to use; NULL: all */
	/* figures to compute; empty: figures[], which .course and .bystander need */
	struct figures table;
	/* called for each sample of the job; may be NULL */
	void (*on_sample)(void *arg, const struct job_sample *t);
	void *arg;
	/* if not both 0: on_sample gets only samples from .taken_from to .taken_to */
	int64_t taken_from, taken_to;
};
struct figures node_query_figures(const struct node_query *q);

/*
 * The runs that were found, host by host, in the order in which they ended. runs_free() releases
 * them.
 */
struct runs {
	struct run *run;
	size_t n, cap;
	int64_t start, end;	/* earliest start and latest end of the runs */
};
void runs_free(struct runs *runs);
/* Append the runs of `more` to `runs`, and clear `more`. */
void runs_join(struct runs *runs, struct runs *more);

/*
 * Begin to search the records of one host. Pass the records file by file, in order of time; runs
 * that are found are added to `runs`. All pointers are borrowed. The caller may skip records that
 * do not list the job while node_search_is_away(), and records in which only the time changes
 * unless node_search_is_here().
 */
struct node_search *node_search_new(const struct node_query *q, const char *name,
				    struct runs *runs);
void node_search_begin_file(struct node_search *h);
void node_search_take(struct node_search *h, const struct record *r,
		      const struct node_moment *moment);
/*
 * Finish a file. Returns true if it has samples of the job; the number of its unreadable lines, and
 * whether its last sample is incomplete, are then added to the result.
 */
bool node_search_end_file(struct node_search *h, uint64_t bad_lines, bool torn);
bool node_search_is_here(const struct node_search *h);	/* the newest record belongs to the job */
bool node_search_is_away(const struct node_search *h);	/* the job has not begun, or has ended */
/* Close the current run, if any, and free the search. */
void node_search_end(struct node_search *h);
