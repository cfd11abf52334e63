/* SPDX-License-Identifier: BSD-3-Clause */
/* node.h - a job on one node, from the files of its host */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "report/input.h"
#include "report/procs.h"
#include "report/tally.h"

struct node {
	char *name;
	int64_t start, end;	/* microseconds: first and last sample */
	int64_t usec;		/* that it was the job's: less than end - start if it ran twice */
	unsigned runs;
	unsigned no_begin, no_end;	/* runs without these marks */
	unsigned set_back;	/* samples older than the one before: the clock was set back */
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
	struct value *value;	/* one per figure */
};

/* A sample that is the job's, in the node's tally already. */
struct taken {
	const struct raw_group *group;
	struct tally *tally;
	unsigned what;		/* JOB_OPEN and so on, report/job.h */
	bool begun;		/* the run has a begin mark */
	bool booted;		/* since the sample before */
};

/*
 * A job on all nodes, or, if .job is NULL, all samples from .since to .until. All zero but these is
 * a valid new one; report_free() ends it.
 */
struct report {
	const char *job;
	int64_t since, until;	/* microseconds, both of them are in it */
	const char *device;	/* only rows of these, a pattern as of fnmatch(3); NULL: all */
	struct node *node;
	size_t n, cap;
	struct procs procs;
	int64_t start, end;	/* of all nodes */
	size_t hosts, files;	/* searched */
	size_t passed_over;	/* files of another time than the job's */
	size_t unreadable;	/* files: what the job did there is not known */
	void (*progress)(const struct report *r);	/* before each file, or NULL */
	struct figures table;	/* none: figures[] */
	void (*taken)(void *arg, const struct taken *t);	/* behind each sample, or NULL */
	void *arg;
};

/* The n files of one host, in order of time. Says on stderr which files cannot be read. */
void report_host(struct report *r, const struct archive_file *file, size_t n);
void report_free(struct report *r);

/* A node as people read it: without the domain, if all nodes are of the same one. */
struct str node_name(const struct report *r, size_t node);
