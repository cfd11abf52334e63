/* SPDX-License-Identifier: BSD-3-Clause */
/* job_last.h - keep the last reading of each job, for its final row */
#pragma once

#include "collectors/job_dirs.h"
#include "collectors/job_io.h"
#include "collectors/source.h"

#define JOB_VALUES 24	/* limit of the number of keys of type job */
#define JOB_TIMES   3	/* first keys of type job: total, user and system CPU time */
#define JOB_FILES  10	/* maximum number of files that hold a job's values */
#define JOB_LINES  20	/* limit of the number of rows in a table of sources */
#define JOB_PARENTS 8
#define JOB_ENDED  256

/* value of a file that was not opened yet; other values are a descriptor or -errno */
enum { JOB_NOT_OPENED = INT32_MIN };

/* Bits of key "whole": values that are complete in the last row of a job. */
enum {
	JOB_TIMES_WHOLE = 1,	/* CPU times, of which at most 1 % or 10 ms may be missing */
	/* all other values, because they were read after the last process had ended */
	JOB_ALL_WHOLE   = 2,
};

/* Values of type job read from a cgroup. */
struct job_values {
	uint64_t value[JOB_VALUES], present;
};

struct job_cells;	/* see collectors/bpf/job_shared.h */

/* A cgroup that a BPF program reads, see job_cells.h. */
struct job_group {
	uint64_t id;		/* kernel's id of the cgroup; 0: not known yet */
	struct job_cells *cells;	/* memory for the program's values, or NULL */
	struct job_values known;	/* values from the program, valid during one pass */
	/* the program's I/O of each device, if .known includes I/O */
	const struct job_part *part;
	size_t parts;
	/* user and system time that cpu.stat or the program showed last, in ns */
	uint64_t shown[2];
};

/* A job that has a cgroup, or whose cgroup has gone but whose last row was not written yet. */
struct job_last {
	char device[128], dir[200];
	const char *mount;
	bool v2;
	int fd[JOB_FILES];
	/* for each source, its position in the file, see key_lines_find() */
	uint16_t line[JOB_LINES];
	uint64_t inode;			/* inode of the file of CPU times; 0: there is none */
	/* values of the current cgroup; counters start at its creation */
	uint64_t value[JOB_VALUES];
	/* sum and maximum of each value over the job's earlier cgroups */
	uint64_t sum[JOB_VALUES], largest[JOB_VALUES];
	/* CPU times used after the last reading, inferred from the parent's growth */
	uint64_t unread_time[JOB_TIMES];
	uint64_t present;		/* mask of the keys in .value */
	uint64_t times;			/* mask of the CPU times that this pass has read */
	/* keys of the last full reading; if a new reading lacks one of them, the job has ended */
	uint64_t keys;
	int64_t read_ns;		/* monotonic time of the last full reading */
	/*
	 * whole: JOB_*_WHOLE bits of the current cgroup; lacks: bits that some earlier cgroup
	 * lacked
	 */
	unsigned whole, lacks;
	size_t parent;
	struct job_io io;	/* I/O of the current cgroup */
	struct job_group group;	/* set up after the files were read once */
	uint64_t files;		/* mask of the keys that the cgroup's files have */
	bool judged;		/* the BPF program's values were compared with the cgroup's files */
	bool seen;		/* the cgroup exists in this pass */
	bool complete;		/* all keys were read in this pass */
	bool is_new;		/* the cgroup is new, and its counters start at 0 */
	bool gone;
	bool fresh;		/* a value was read since the job's last row */
	bool follows;		/* rows of an earlier cgroup of this job were written */
	uint64_t number;	/* serial number of this entry, counted from 1 */
	const char *users;	/* subdirectories with the processes, see struct job_layout */
	bool watched;		/* job_ends.h watches the job's directories */
	bool changed;		/* processes or steps came or went since the last reading */
	bool ran;		/* the job had a process at some time */
	bool ended;		/* the last reading found no process left */
	bool has_cpus;		/* .cpus was read since the last rescan */
	uint64_t cpus;		/* number of CPUs that the job may use; 0: not known */
};

/*
 * The parent directory of a scheduler's job cgroups. Its counters include the time of removed jobs.
 * So the growth of the parent between two passes, minus the growth of the running jobs, is the time
 * used by jobs that ended in between. Each pass reads the parent's file twice, before and after the
 * jobs' files. If a BPF program reads the parent and the jobs, all values are of the same moment.
 */
struct job_parent {
	char dir[200];
	const char *mount;
	bool v2;
	int fd[2];
	uint16_t line[JOB_LINES];
	struct job_group group;
	bool known, was_known;	/* the counters were read in this pass, and in the previous pass */
	uint64_t first[JOB_TIMES], last[JOB_TIMES];
	uint64_t was_first[JOB_TIMES], was_last[JOB_TIMES];
	uint64_t grown[JOB_TIMES];	/* growth of the running jobs since the previous pass */
	size_t gone;	/* number of jobs whose cgroup disappeared before this pass */
	bool counts_others;		/* the parent also counts processes outside the jobs */
};

/* All zero is a valid empty table; job_lasts_free() releases it. */
struct job_lasts {
	struct job_last *job;
	size_t n, cap;
	uint64_t numbers;		/* number of entries made so far */
	struct job_parent parent[JOB_PARENTS];
	size_t n_parents;
	struct job_ended {
		uint64_t device, inode, cpu;
	} ended[JOB_ENDED];		/* ring buffer of the jobs that got their last row */
	size_t n_ended;
};

void job_lasts_free(struct job_lasts *l);

void job_lasts_begin(struct job_lasts *l);	/* begins a pass: no job is seen yet */
/*
 * Find or add the entry of a job, and mark it as seen. Looks at index i first. The result is valid
 * until the next call.
 */
struct job_last *job_lasts_see(struct job_lasts *l, const struct job_dir *job, size_t i);
/* Set the job's CPU times. User and system time may be missing. */
void job_last_times(struct job_lasts *l, struct job_last *j, const uint64_t *value,
		    uint64_t present, uint64_t inode);
/*
 * Note that the job's cgroup cannot be read: the job has gone, unless a later pass finds the
 * cgroup.
 */
void job_last_fails(struct job_last *j);
void job_last_close(struct job_last *j);	/* closes the job's files */
/*
 * End a pass, after all jobs' CPU times were read: find the jobs that have gone, and the CPU time
 * that they used after their last reading.
 */
void job_lasts_end(struct job_lasts *l);

/*
 * Replace the plain sums over all block devices in *got by the job's sums, see job_io_take(). Take
 * the devices from the program's reading in this pass if there is one, otherwise from the file.
 */
void job_last_take_io(struct job_last *j, struct source *s, struct job_disks *disks,
		      const struct job_io_reading *file, struct job_values *got);

struct job_last_keys {
	size_t peak;		/* key to report as the maximum over all cgroups of the job */
	/* keys of the row for the age of the reading, and for the JOB_*_WHOLE bits */
	size_t age, whole;
	size_t cpus;		/* key for the number of CPUs */
};

/* Add a row with all known values of the job. */
void job_last_put(struct job_last *j, struct source *s, const struct job_last_keys *keys);
/*
 * Write the rows of all jobs that have gone, and forget the jobs. Do not call this for a sample
 * that is not archived.
 */
void job_lasts_put_gone(struct job_lasts *l, struct source *s, const struct job_last_keys *keys);
