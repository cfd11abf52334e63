/* SPDX-License-Identifier: BSD-3-Clause */
/* job_tree.h - sum up the resources of a user's run that has no cgroup of its own */
#pragma once

#include <sys/types.h>
#include "collectors/job_waits.h"
#include "collectors/source.h"

/*
 * Counters of a process. Times are in microseconds, the other values in the units of type job.
 * TREE_MEM_PEAK is the largest resident memory of any process that has ended (getrusage(2),
 * ru_maxrss).
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
 * The counts of the first thread of a supervisor's command, read after the command's end; all zero
 * if they were not read.
 */
struct job_tree_command {
	pid_t pid;
	struct job_wait wait;
};

/* name of a supervisor's helper process, which is not part of the run */
#define JOB_TREE_HELPER "nodometer-aside"

/*
 * A supervisor is a process that starts a command of the run. A supervisor also becomes the parent
 * of its orphaned descendants (prctl(2), PR_SET_CHILD_SUBREAPER), so all processes of the run
 * descend from supervisors. When a parent waits for an ended child, the kernel adds the child's use
 * to that of the parent.
 */
struct job_tree_supervisor {
	pid_t pid;
	uint64_t start;		/* start time in clock ticks; 0: not read yet */
	/*
	 * ended: the end of the supervisor's command was reported; lost: the supervisor has gone
	 * without a report
	 */
	bool ended, lost;
	struct job_tree_used now;	/* used by the supervisor's processes that exist now */
	/* used so far by all processes of the supervisor; never decreases */
	struct job_tree_used used;
};

/* Counts of a process. They stay valid until one of its threads runs. */
struct job_tree_counts {
	uint64_t start, threads;
	struct job_tree_used used;
};

struct job_tree_process {
	pid_t pid;
	/*
	 * start time in clock ticks; 0: not read yet; JOB_TREE_GONE: it has ended or is not part of
	 * the run
	 */
	uint64_t start;
	size_t supervisor;
	/* offset and size of the process's status file in .texts; size 0: not read */
	size_t status, n_status;
};

#define JOB_TREE_GONE UINT64_MAX

/*
 * Files of a process that each look reads. They stay open for the first .open_max processes of a
 * run.
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
 * The processes of a run. A "look" reads all of them once; each sample takes one look. All zero
 * with .id set is a valid new tree. Files that stay open are closed when their process has gone.
 */
struct job_tree {
	char id[128];		/* device in the row of type job */
	struct job_tree_supervisor *supervisor;
	size_t n, cap;
	/* processes found by the last look, parents before children */
	struct job_tree_process *seen;
	size_t n_seen, cap_seen;
	struct buf texts;	/* texts of the processes' status files, for type proc */
	/* positions of RssAnon and VmSwap in the status file, see key_lines_find() */
	uint16_t rss_anon, vm_swap;
	struct job_tree_open *open;
	size_t n_open, cap_open, open_max;
	size_t next;		/* index in .open at which to search first */
	/*
	 * number of forks on this node at the last look; 0: unknown, so each look searches for
	 * children
	 */
	uint64_t forks;
	bool counts_forks;	/* this kernel counts forks: .forks has changed at least once */
	bool counts_io;		/* the kernel reports bytes read and written */
	bool counts_swap;	/* the kernel reports memory that was swapped out */
	struct job_waits waits;
	struct job_wait wait;	/* CPU and waiting time of all threads of the run so far */
};

void job_tree_add(struct job_tree *t, pid_t supervisor);
/*
 * Add the bytes read and written, from the text of /proc/PID/io. They include the bytes of the
 * children that the process waited for.
 */
void job_tree_take_io(struct job_tree_used *u, struct str io);
/*
 * Note that the command of a supervisor has ended. used: what the command used in total, according
 * to the kernel.
 */
void job_tree_end(struct job_tree *t, pid_t supervisor, const struct job_tree_used *used,
		  const struct job_tree_command *command);

/* Close all files, free all memory, and set the tree to all zero. */
void job_tree_free(struct job_tree *t);

/* Collect type job for the run s->shared->tree, which must not be NULL. Returns 0 or -errno. */
int job_tree_collect(struct source *s) MUST_CHECK;

/*
 * Kill the remaining processes of lost supervisors with SIGKILL: those that the last look listed,
 * and their children. all: treat each supervisor as lost whose command's end was not reported,
 * because /proc may still show a supervisor that is being killed.
 */
void job_tree_kill_lost(struct job_tree *t, struct source *s, bool all);
