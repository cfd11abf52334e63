/* SPDX-License-Identifier: BSD-3-Clause */
/* job_last.h - keep the newest values of each job, for its last row */
#pragma once

#include "collectors/job_dirs.h"
#include "collectors/job_io.h"
#include "collectors/source.h"

#define JOB_VALUES 24	/* largest number of keys of type job */
#define JOB_TIMES   3	/* number of CPU times, the first keys: total, user and system */
#define JOB_FILES  10	/* largest number of files with a job's values */
#define JOB_LINES  20	/* largest number of entries in a table of struct job_source */
#define JOB_PARENTS 8
#define JOB_ENDED  256

/* value of a member .fd: the file was not opened yet; after a failure, .fd is -errno */
enum { JOB_NOT_OPENED = INT32_MIN };

/* Bits of key "whole", which shows which values in the job's last row are complete. */
enum {
	JOB_TIMES_WHOLE = 1,	/* CPU times; at most 1 % or 10 ms are missing */
	/* all other values; they were read after the last process had ended */
	JOB_ALL_WHOLE   = 2,
};

/* Values of type job read from a cgroup. */
struct job_values {
	uint64_t value[JOB_VALUES], present;
};

struct job_cells;	/* see collectors/bpf/job_shared.h */

/* A job's cgroup as the BPF program reads it, see job_cells.h. */
struct job_group {
	uint64_t id;		/* kernel's id of the cgroup; 0: not known yet */
	struct job_cells *cells;	/* shared memory with the program's values, or NULL */
	struct job_values known;	/* values that the program read in this sample */
	/* I/O of each device, if .known has I/O; valid until the program runs again */
	const struct job_part *part;
	size_t parts;
	/* user and system time in ns as last reported */
	uint64_t shown[2];
};

/* A job that has a cgroup, or whose cgroup has gone but whose last row is not written yet. */
struct job_last {
	char device[128], dir[200];
	const char *mount;
	bool v2;
	int fd[JOB_FILES];
	/* where each key was found last in its file, see key_lines_find() */
	uint16_t line[JOB_LINES];
	uint64_t inode;			/* inode of the file with CPU times; 0: no file */
	/* values read from the job's current cgroup */
	uint64_t value[JOB_VALUES];
	/* sum and maximum over the job's earlier cgroups */
	uint64_t sum[JOB_VALUES], largest[JOB_VALUES];
	/* estimated CPU times after the last reading, see struct job_parent */
	uint64_t unread_time[JOB_TIMES];
	uint64_t present;		/* mask of the keys in .value */
	uint64_t times;			/* mask of the CPU times that were read in this sample */
	/*
	 * mask of the keys found by the last full reading; a later reading without one of them
	 * shows that the job has ended
	 */
	uint64_t keys;
	int64_t read_ns;		/* monotonic time of the last full reading */
	/* JOB_*_WHOLE bits that the current cgroup has, and bits that an earlier cgroup lacked */
	unsigned whole, lacks;
	size_t parent;		/* index in .parent of struct job_lasts; JOB_PARENTS: none */
	struct job_io io;	/* I/O of the current cgroup */
	struct job_group group;	/* the cgroup as the BPF program sees it */
	uint64_t files;		/* mask of the keys that the cgroup's files have */
	bool judged;		/* the program's values were compared with the files */
	bool seen;		/* the cgroup exists in this sample */
	bool complete;		/* all keys were read in this sample */
	bool is_new;		/* the cgroup is new, and its counters start at 0 */
	bool gone;
	bool fresh;		/* there are new values since the job's last row */
	bool follows;		/* a last row was written for an earlier cgroup of this job */
	uint64_t number;	/* serial number of this entry, counted from 1 */
	const char *users;	/* subdirectories with the processes, see struct job_layout */
	bool watched;		/* job_ends.h watches the job's directories */
	/* processes or steps of the job came or went, so its values must be read again */
	bool changed;
	bool ran;		/* the job had a process at some time */
	bool ended;		/* the job had no process left at the last reading */
	bool has_cpus;		/* .cpus is valid until the next rescan */
	uint64_t cpus;		/* number of CPUs that the job may use; 0: not known */
};

/*
 * The parent cgroup of a scheduler's jobs. Its counters include jobs that have gone, so its growth
 * between two samples, less the growth of the running jobs, is the CPU time of the jobs that ended
 * in between. Each sample reads the parent before and after the jobs (.first, .last). If a BPF
 * program reads the parent and the jobs, all values are of the same moment.
 */
struct job_parent {
	char dir[200];
	const char *mount;
	bool v2;
	int fd[2];
	uint16_t line[JOB_LINES];
	struct job_group group;
	/* the parent's counters were read: in this sample; in the previous sample */
	bool known, was_known;
	uint64_t first[JOB_TIMES], last[JOB_TIMES];
	uint64_t was_first[JOB_TIMES], was_last[JOB_TIMES];
	/* growth of the running jobs' CPU times since the previous sample */
	uint64_t grown[JOB_TIMES];
	size_t gone;	/* number of jobs that have gone since the previous sample */
	bool counts_others;		/* the parent also has processes outside jobs */
};

/* All zero is a valid empty table; job_lasts_free() releases it. */
struct job_lasts {
	struct job_last *job;
	size_t n, cap;
	uint64_t numbers;		/* jobs numbered so far; the newest one has this number */
	struct job_parent parent[JOB_PARENTS];
	size_t n_parents;
	struct job_ended {
		uint64_t device, inode, cpu;	/* .device is a hash of the job's device */
	} ended[JOB_ENDED];		/* ring buffer of jobs whose last row was written */
	size_t n_ended;
};

void job_lasts_free(struct job_lasts *l);

void job_lasts_begin(struct job_lasts *l);	/* begins a sample: no job is seen yet */
/*
 * Find a job, probably at index i, or add it; and mark the job as seen. The result is valid until
 * the next call.
 */
struct job_last *job_lasts_see(struct job_lasts *l, const struct job_dir *job, size_t i);
/*
 * Set the job's CPU times, of which `present` is the mask: user and system time may be missing.
 * inode: see struct job_last.
 */
void job_last_times(struct job_lasts *l, struct job_last *j, const uint64_t *value,
		    uint64_t present, uint64_t inode);
/*
 * Note that the job's cgroup cannot be read. The job has gone unless job_lasts_see() finds it
 * again.
 */
void job_last_fails(struct job_last *j);
void job_last_close(struct job_last *j);	/* closes the job's files */
/*
 * Set the parent's CPU times. e: -errno if they cannot be read, because the scheduler has removed
 * the directory and perhaps made a new one: the files are opened again at the next reading. last:
 * this is the reading after the jobs.
 */
void job_parent_times(struct job_parent *p, const struct job_values *got, int e, bool last);
/*
 * End the reading of CPU times: find the jobs that have gone, and estimate the CPU time that they
 * used after their last reading.
 */
void job_lasts_end(struct job_lasts *l);

/*
 * Replace the I/O in *got, a plain sum over all devices, by the job's I/O from job_io_take(). The
 * counters of each device come from the BPF program or, if the program read no I/O in this sample,
 * from `file`. If `file` had more devices than its table can hold (.is_full), remove the I/O from
 * *got.
 */
void job_last_take_io(struct job_last *j, struct source *s, struct job_disks *disks,
		      const struct job_io_reading *file, struct job_values *got);

struct job_last_keys {
	size_t peak;		/* key whose maximum over all cgroups is reported */
	/* keys for the age of the values in the row, and for JOB_*_WHOLE bits */
	size_t age, whole;
	size_t cpus;		/* key for the number of CPUs that the job may use */
};

/* Add a row of the job's totals. */
void job_last_put(struct job_last *j, struct source *s, const struct job_last_keys *keys);
/*
 * Forget all jobs that have gone. If a job has values that no earlier row has, write its last row.
 * Call this only in samples that are archived.
 */
void job_lasts_put_gone(struct job_lasts *l, struct source *s, const struct job_last_keys *keys);
