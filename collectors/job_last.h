/* SPDX-License-Identifier: BSD-3-Clause */
/* job_last.h - the newest reading of each job, kept for when its control group is gone */
#pragma once

#include "collectors/job_dirs.h"
#include "collectors/source.h"

#define JOB_VALUES 24	/* no fewer than type job has keys */
#define JOB_TIMES   3	/* first keys of type job: CPU time in all, in user mode, in the kernel */
#define JOB_FILES  10	/* a job's values are read from so many at most */
#define JOB_LINES  20	/* no fewer than a table of sources has rows */
#define JOB_PARENTS 8
#define JOB_ENDED  256

enum { JOB_NOT_OPENED = INT32_MIN };	/* of a descriptor; else it, or -errno */

/* Bits of key "whole": which values of a job whose group is gone are complete. */
enum {
	JOB_TIMES_WHOLE = 1,	/* CPU times, but for a hundredth or 10 ms */
	JOB_ALL_WHOLE   = 2,	/* all others: read after the last process had ended */
};

/* Values of type job that were read of a group. */
struct job_values {
	uint64_t value[JOB_VALUES], present;
};

struct job_cells;	/* see collectors/bpf/job_shared.h */

/* A control group that a program in the kernel reads, see job_cells.h. */
struct job_group {
	uint64_t id;		/* 0: not known yet */
	struct job_cells *cells;	/* where the program puts its values, or NULL */
	struct job_values known;	/* the meaning of these: in one pass, no later */
	uint64_t shown[2];	/* user and system time, ns */
};

/* A job with a group, or with one that was there since the last row of it was written. */
struct job_last {
	char device[128], dir[200];
	const char *mount;
	bool v2;
	int fd[JOB_FILES];
	uint16_t line[JOB_LINES];	/* of each source: see key_lines_find() */
	uint64_t inode;			/* of the file of its CPU times, 0: it has none */
	uint64_t value[JOB_VALUES];	/* of this group, counters from its creation on */
	uint64_t sum[JOB_VALUES], largest[JOB_VALUES];	/* of the groups it had before */
	uint64_t rest[JOB_TIMES];	/* CPU times since the last reading, as the parent says */
	uint64_t present;		/* keys that .value has */
	uint64_t times;			/* CPU times among .present, in this pass */
	uint64_t keys;			/* a reading without these: the job has ended meanwhile */
	int64_t read_ns;		/* when all of them were, monotonic */
	unsigned whole, lacks;		/* of this group, and what those before it were not */
	size_t parent;
	struct job_group group;	/* once its files were read; then, */
	uint64_t files;		/* the keys that these have */
	bool judged;		/* the program's values were compared with the files */
	bool seen;		/* in this pass, */
	bool complete;		/* and all of it was read */
	bool is_new;		/* a new group: its counters count from 0 */
	bool gone;
	bool fresh;		/* something was read since the last row of it */
	bool follows;		/* rows of another group of this job were written */
	uint64_t number;	/* of this entry, from 1 */
	const char *users;	/* see job_layouts.h */
	bool watched;		/* by job_ends.h; */
	bool changed;		/* directories came or went in the job's, */
	bool ran;		/* and there was a process */
	bool ended;		/* none was left at the last reading */
};

/*
 * The directory in which the scheduler has the groups of its jobs. Its counters keep the time of
 * jobs that were removed: their growth between two passes, less that of the jobs that still run, is
 * what jobs used that ended meanwhile. Its file is read first and last in each pass; if a program
 * reads both it and its jobs, all of these values are of one moment.
 */
struct job_parent {
	char dir[200];
	const char *mount;
	bool v2;
	int fd[2];
	uint16_t line[JOB_LINES];
	struct job_group group;
	bool known, was_known;		/* in this pass, in the one before */
	uint64_t first[JOB_TIMES], last[JOB_TIMES];
	uint64_t was_first[JOB_TIMES], was_last[JOB_TIMES];
	uint64_t grown[JOB_TIMES];	/* growth of its running jobs since the pass before */
	size_t gone;			/* jobs in this pass */
	bool foreign;			/* others than its jobs count in it, too */
};

/* All zero is a valid empty one; job_lasts_free() ends it. */
struct job_lasts {
	struct job_last *job;
	size_t n, cap;
	uint64_t numbers;		/* of entries so far */
	struct job_parent parent[JOB_PARENTS];
	size_t n_parents;
	struct job_ended {
		uint64_t device, inode, cpu;
	} ended[JOB_ENDED];		/* of which the last row was written */
	size_t n_ended;
};

void job_lasts_free(struct job_lasts *l);

void job_lasts_begin(struct job_lasts *l);	/* a pass: no job is seen yet */
/* The entry of a job, likely at number i, marked as seen; valid until the next call. */
struct job_last *job_lasts_see(struct job_lasts *l, const struct job_dir *job, size_t i);
/* These are its CPU times now: user and system may be missing. */
void job_last_times(struct job_lasts *l, struct job_last *j, const uint64_t *value,
		    uint64_t present, uint64_t inode);
/* The job's group cannot be read: the job is gone, unless a later pass sees it. */
void job_last_fails(struct job_last *j);
void job_last_close(struct job_last *j);	/* the job's files */
/* All its jobs' CPU times were read: finds those that are gone, and what is missing of them. */
void job_lasts_end(struct job_lasts *l);

struct job_last_keys {
	size_t peak;		/* the largest of the job's groups counts */
	size_t age, whole;	/* how old the row is, how much was read */
};

/* A row of what is known of it. */
void job_last_put(struct job_last *j, struct source *s, const struct job_last_keys *keys);
/* The rows of all that are gone, which are forgotten then: those of a passing sample are not. */
void job_lasts_put_gone(struct job_lasts *l, struct source *s, const struct job_last_keys *keys);
