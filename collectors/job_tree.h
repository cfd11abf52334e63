/* SPDX-License-Identifier: BSD-3-Clause */
/* job_tree.h - resources used by a user's run without a cgroup of its own */
#pragma once

#include <sys/types.h>
#include "collectors/job_waits.h"
#include "collectors/source.h"

/*
 * Use by a process: times in microseconds, all others in units of type job. The peak is the largest
 * resident memory of any process that has ended (getrusage(2), ru_maxrss).
 */
enum {
	TREE_USER, TREE_SYSTEM, TREE_PGFAULT, TREE_PGMAJFAULT, TREE_RD_BYTES, TREE_WR_BYTES,
	TREE_MEM_PEAK,
	TREE_COUNTERS,
};

struct job_tree_used {
	uint64_t value[TREE_COUNTERS];
};

/*
 * The first thread of the command that a front started, read after the command's end; all zero if
 * it was not read.
 */
struct job_tree_command {
	pid_t pid;
	struct job_wait wait;
};

/* name of a helper process that a front started, but that is not part of the command */
#define JOB_TREE_ASIDE "nodometer-aside"

/*
 * A front is a process that starts a command and becomes the parent of orphaned descendants
 * (prctl(2), PR_SET_CHILD_SUBREAPER). So all processes of a run descend from fronts. When a parent
 * waits for an ended child, the kernel adds the child's use to that of the parent.
 */
struct job_tree_front {
	pid_t pid;
	uint64_t start;		/* start time in the kernel's ticks; 0: not read yet */
	/* ended: a message reported the front's end; lost: the front has gone without a message */
	bool ended, lost;
	struct job_tree_used now;	/* use by the processes that exist now */
	struct job_tree_used used;	/* use so far, which never decreases */
};

/* Counts of a process, kept from look to look until one of its threads runs. */
struct job_tree_counts {
	uint64_t start, threads;
	struct job_tree_used used;
};

struct job_tree_process {
	pid_t pid;
	/* start time, or JOB_TREE_GONE if the process ended or is not part of the run */
	uint64_t start;
	size_t front;
	/* offset and size of its /proc/PID/status in .texts; size 0 if it was not read */
	size_t status, n_status;
};

#define JOB_TREE_GONE UINT64_MAX

/*
 * Files of a process that are read at each look. They stay open for the first processes of a run.
 */
enum job_tree_file { TREE_STAT, TREE_IO, TREE_STATUS, TREE_CHILDREN, TREE_FILES };

struct job_tree_open {
	pid_t pid;
	bool looked_at;		/* the current look has read the process */
	int fd[TREE_FILES];	/* -1: not open */
	bool has_counts;	/* .counts was read */
	struct job_tree_counts counts;
};

/*
 * The processes of a run. A "look" reads all of them once, and each sample takes a look. All zero
 * with .id set is a valid new tree; the files stay open as long as their processes run.
 */
struct job_tree {
	char id[128];		/* device in the row of type job */
	struct job_tree_front *front;
	size_t n, cap;
	/* processes found by the last look, parents before children */
	struct job_tree_process *seen;
	size_t n_seen, cap_seen;
	struct buf texts;	/* text of the status files of this look, for type proc */
	/* positions of the lines RssAnon and VmSwap, see key_lines_find() */
	uint16_t rss_anon, vm_swap;
	struct job_tree_open *open;
	size_t n_open, cap_open, open_max;
	size_t next;		/* index in .open at which to look for the next process first */
	/*
	 * number of forks on the node at the last look; 0: unknown, so each look searches for
	 * children
	 */
	uint64_t forks;
	bool counts_forks;	/* .forks has changed at least once, so this kernel counts forks */
	bool counts_io;		/* the kernel reports bytes read and written */
	bool counts_swap;	/* the kernel reports memory that was swapped out */
	struct job_waits waits;
	struct job_wait wait;	/* waits of all tasks of the run so far */
};

void job_tree_add(struct job_tree *t, pid_t front);
/*
 * Add the bytes in the text of /proc/PID/io, which covers the process and the children that it
 * waited for.
 */
void job_tree_take_io(struct job_tree_used *u, struct str io);
/*
 * Note that the command of a front has ended, and what the command used in total according to the
 * kernel.
 */
void job_tree_end(struct job_tree *t, pid_t front, const struct job_tree_used *used,
		  const struct job_tree_command *command);

/* Close all files, free all memory, and set the tree to all zero. */
void job_tree_free(struct job_tree *t);

/* Collect type job if s->shared->tree is set. Returns 0 or -errno. */
int job_tree_collect(struct source *s) MUST_CHECK;

/*
 * Kill the remaining processes of lost fronts, as found by the last look, with SIGKILL. all: treat
 * all fronts as lost, because they have gone, although /proc may still show a front that is being
 * killed.
 */
void job_tree_kill_lost(struct job_tree *t, struct source *s, bool all);
