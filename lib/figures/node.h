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
	int64_t start, end;	/* times of the first and last sample of the job, microseconds */
	/*
	 * only for a run without an end mark: time of the first record after .end in which the job
	 * is not listed or begins again; 0: none
	 */
	int64_t absent_from;
	/*
	 * earliest and latest time of a sample as recorded, that is, without correction of clock
	 * steps
	 */
	int64_t wall_start, wall_end;
	/*
	 * duration of all runs, microseconds; less than .end - .start if there was time between
	 * runs
	 */
	int64_t usec;
	unsigned runs;
	/* numbers of runs without a begin mark, and without an end mark */
	unsigned no_begin, no_end;
	/* number of runs whose end was marked only because a later job began */
	unsigned later_end;
	/*
	 * number of samples with an earlier time than the previous sample, because the clock was
	 * set back
	 */
	unsigned set_back;
	/* number of times that the clock was set, by comparison with CLOCK_BOOTTIME */
	unsigned stepped;
	unsigned boots;		/* number of boots during the job */
	/* number of times that the hardware counters were released during the job */
	unsigned released;
	/* the newest sample of the host belongs to the job: the job may still run */
	bool open;
	size_t samples;
	size_t shared;		/* number of samples with other jobs on the node */
	/*
	 * number of samples that list the job but were left out, because they precede its begin
	 * mark
	 */
	size_t before;
	size_t gaps;	/* number of intervals between samples longer than 2.5 times the median */
	/* median time between samples, microseconds; 0 if there were fewer than 3 intervals */
	int64_t interval;
	/*
	 * longest of the .gaps intervals, and time of the sample at its start, microseconds; 0:
	 * none
	 */
	int64_t longest, longest_at;
	/*
	 * number of unreadable lines; number of rows left out because there were too many devices
	 */
	uint64_t bad_lines, devices_left_out;
	unsigned torn;		/* number of files that end in an incomplete sample */
	struct value *value;	/* value of each figure */
	struct allocation allocation;
	char other_types[256];	/* names of record types in the samples that have no figures */
	/* number of further such types, for which .other_types has no room */
	unsigned more_types;
	struct course course;
	/*
	 * programs outside the job with most CPU time, from type process; unknown for a run without
	 * an end mark
	 */
	struct bystander bystander[BYSTANDERS_NAMED];
};

/*
 * Whether the job began before its first sample: its cgroup, which counts from its creation, has
 * more CPU time than all CPUs could give between the first and the last sample. cpu_seconds: CPU
 * time of the cgroup.
 */
bool node_began_before(const struct node *node, double cpu_seconds);

/*
 * A run of a job on one node, from its begin mark (or the first sample that lists the job) to its
 * end mark (or the last such sample).
 */
struct run {
	struct node node;
	struct procs procs;
	struct job_owner owner;
	uint64_t nodes;	/* number of nodes of the job, from its marks; 0: unknown */
};

/*
 * A query about each node: find the runs of job .job or, if .job is NULL, take all samples from
 * .since to .until. All other members may be zero.
 */
struct node_query {
	const char *job;
	int64_t since, until;	/* microseconds, both inclusive */
	const char *node;	/* name or fnmatch(3) pattern of the hosts to search; NULL: all */
	const char *device;	/* fnmatch(3) pattern of the devices to use; NULL: all */
	/*
	 * figures to compute; empty: figures[]. With another table, .course and .bystander of
	 * struct node stay unknown
	 */
	struct figures table;
	/* called for each sample of the job; may be NULL */
	void (*on_sample)(void *arg, const struct job_sample *t);
	void *arg;
	/* if not both 0: on_sample gets only samples from .taken_from to .taken_to */
	int64_t taken_from, taken_to;
};
struct figures node_query_figures(const struct node_query *q);

/*
 * The runs that were found: host by host, and for each host in the order of their ends. runs_free()
 * releases them.
 */
struct runs {
	struct run *run;
	size_t n, cap;
	int64_t start, end;	/* earliest start and latest end of the runs, microseconds */
};
void runs_free(struct runs *runs);
/* Move the runs of `more` to the end of `runs`. */
void runs_join(struct runs *runs, struct runs *more);

/*
 * Begin to search the records of host `name`. Pass its records file by file, in order of time; the
 * search adds the runs that it finds to `runs`. All pointers are borrowed. The caller may skip
 * records that do not list the job: all of them while node_search_is_away(), but only those without
 * a boot, clock step or mark about counters while the job is neither here nor away.
 */
struct node_search *node_search_new(const struct node_query *q, const char *name,
				    struct runs *runs);
void node_search_begin_file(struct node_search *h);
void node_search_take(struct node_search *h, const struct record *r,
		      const struct node_moment *moment);
/*
 * Finish a file. Returns true if the file has samples of the job. If so, the run's .bad_lines grows
 * by bad_lines (the number of unreadable lines of the file), and .torn by 1 if the last sample of
 * the file is incomplete.
 */
bool node_search_end_file(struct node_search *h, uint64_t bad_lines, bool torn);
/* true: the newest record belongs to the job */
bool node_search_is_here(const struct node_search *h);
/* true: the job has not begun, or has ended */
bool node_search_is_away(const struct node_search *h);
/* End the current run, if any, and free the search. */
void node_search_end(struct node_search *h);
