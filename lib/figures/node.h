/* SPDX-License-Identifier: BSD-3-Clause */
/* node.h - a job on one node, found in the records of its host */
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
	int64_t start, end;	/* first and last sample, microseconds */
	/*
	 * of a run without an end mark: time of the first record after .end that does not name the
	 * job, or that begins it again; 0 if there is no such record
	 */
	int64_t left;
	int64_t wall_start, wall_end;	/* earliest and latest sample by the recorded clock */
	int64_t usec;		/* time of the job; less than end - start if it ran twice */
	unsigned runs;
	unsigned no_begin, no_end;	/* runs without a begin mark; runs without an end mark */
	unsigned later_end;	/* runs that were ended by the begin of a later job */
	unsigned set_back;	/* samples older than the one before: the clock was set back */
	unsigned stepped;	/* changes of the clock that CLOCK_BOOTTIME corrected */
	unsigned boots;		/* boots during the job */
	unsigned released;	/* releases of the hardware counters during the job */
	bool open;		/* the newest sample of the host still belongs to the job */
	size_t samples;
	size_t shared;		/* samples with other jobs on the node */
	/* samples that named the job before its begin mark; they are left out */
	size_t before;
	size_t gaps;		/* intervals longer than 2.5 times the median */
	/* median interval in microseconds; 0 if there were fewer than 3 intervals */
	int64_t interval;
	int64_t longest, longest_at;	/* longest gap, and time of the sample before it */
	uint64_t bad_lines, devices_left_out;
	unsigned torn;		/* files that end in an incomplete sample */
	struct value *value;	/* value of each figure */
	struct allocation allocation;
	char other_types[256];	/* types in the records that have no figures */
	unsigned more_types;	/* number of further types without figures */
	struct course course;
	struct bystander bystander[BYSTANDERS_NAMED];	/* other programs, from type process */
};

/*
 * Whether the job's own CPU time exceeds what the CPUs can do between its samples. Then the job
 * used CPU time before the first sample: its control group counts from its creation.
 */
bool node_began_before(const struct node *node, double cpu_seconds);

/* A run: from a begin mark of an id, or its first sample, to its end. */
struct run {
	struct node node;
	struct procs procs;
	struct job_owner owner;
	/* number of nodes of the job, from the scheduler's hook; 0: not known */
	uint64_t nodes;
};

/*
 * A query to each node: for a job, or, if .job is NULL, for all samples from .since to .until. All
 * other members may be zero.
 */
struct node_query {
	const char *job;
	int64_t since, until;	/* microseconds, both inclusive */
	const char *node;	/* name or pattern of the hosts to search; NULL: all */
	const char *device;	/* fnmatch(3) pattern of the devices to use; NULL: all */
	struct figures table;	/* empty: figures[] */
	/* called for each sample of the job; may be NULL */
	void (*on_sample)(void *arg, const struct job_sample *t);
	void *arg;
	/* only samples of this time are passed to on_sample; both 0: all */
	int64_t taken_from, taken_to;
};
struct figures node_query_figures(const struct node_query *q);

/* The runs that were found, in the order in which they ended. runs_free() releases them. */
struct runs {
	struct run *run;
	size_t n, cap;
	int64_t start, end;	/* earliest start and latest end of the runs */
};
void runs_free(struct runs *runs);
void runs_join(struct runs *runs, struct runs *more);	/* move the runs of more to runs */

/*
 * Start the search of one host: its records are read file by file, in order of time. All pointers
 * are borrowed; runs that are found are added to runs. While the job is away, the caller may skip
 * records that do not name it. While the job is here, the caller must pass every record; in
 * between, every record that changes more than the time.
 */
struct node_search *node_search_new(const struct node_query *q, const char *name,
				    struct runs *runs);
void node_search_begin_file(struct node_search *h);
void node_search_take(struct node_search *h, const struct record *r,
		      const struct node_moment *moment);
/*
 * Finish a file. If the job is in the file, add the number of unreadable lines and the incomplete
 * end to the job, and return true.
 */
bool node_search_end_file(struct node_search *h, uint64_t bad_lines, bool torn);
bool node_search_is_here(const struct node_search *h);	/* the newest record belongs to the job */
bool node_search_is_away(const struct node_search *h);	/* the job has not begun, or is over */
void node_search_end(struct node_search *h);	/* close an open run, and free the search */
