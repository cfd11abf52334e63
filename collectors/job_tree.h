/* SPDX-License-Identifier: BSD-3-Clause */
/* job_tree.h - what the processes of a user's run used, where no scheduler keeps them apart */
#pragma once

#include <sys/types.h>
#include "collectors/source.h"

/* Times in microseconds, the rest as keys of type job. */
enum {
	TREE_USER, TREE_SYSTEM, TREE_PGFAULT, TREE_PGMAJFAULT, TREE_RD_BYTES, TREE_WR_BYTES,
	TREE_COUNTERS,
};

struct job_tree_used {
	uint64_t value[TREE_COUNTERS];
};

/* The name of a process that is no part of any run, though a front has started it. */
#define JOB_TREE_ASIDE "nodometer-aside"

/*
 * A front starts a command, and adopts whatever of it loses its parent: prctl(2),
 * PR_SET_CHILD_SUBREAPER. So all processes of the run descend from fronts. The kernel adds what a
 * process used to its parent, when that waits for it.
 */
struct job_tree_front {
	pid_t pid;
	uint64_t start;		/* in the kernel's ticks, 0: not looked at yet */
	bool ended, lost;	/* with a message; without one */
	struct job_tree_used now;	/* by what is there */
	struct job_tree_used used;	/* so far: never less than before */
};

struct job_tree_process {
	pid_t pid;
	uint64_t start;		/* JOB_TREE_GONE: it has ended, or is no part of the run */
	size_t front;
	size_t status, n_status;	/* place and size of /proc/PID/status in .texts; 0: none */
};

#define JOB_TREE_GONE UINT64_MAX

/* Files of a process that each look reads; they stay open, of the first processes of a run. */
enum job_tree_file { TREE_STAT, TREE_IO, TREE_STATUS, TREE_CHILDREN, TREE_FILES };

struct job_tree_open {
	pid_t pid;
	bool looked_at;		/* since the last look */
	int fd[TREE_FILES];	/* -1: not open */
};

/* All zero with .id is a new one; a process has one as long as it runs. */
struct job_tree {
	char id[128];		/* the device of its row */
	struct job_tree_front *front;
	size_t n, cap;
	struct job_tree_process *seen;	/* by the last look, parents before children */
	size_t n_seen, cap_seen;
	struct buf texts;	/* of this look, for type proc */
	uint16_t rss_anon;	/* where its line was, see key_lines_find() */
	struct job_tree_open *open;
	size_t n_open, cap_open, open_max;
	size_t next;		/* of .open: likely the process that is looked at next */
	uint64_t forks;		/* of the node, at the last look; 0: look for children */
	bool counts_forks;	/* .forks was seen to change */
	bool counts_io;		/* a file was found that has bytes read and written */
};

void job_tree_add(struct job_tree *t, pid_t front);
/* Adds the bytes that /proc/PID/io has: those of the process and of children it waited for. */
void job_tree_take_io(struct job_tree_used *u, struct str io);
/* A front has waited for its command: all that it used, as the kernel says to its parent. */
void job_tree_end(struct job_tree *t, pid_t front, const struct job_tree_used *used);

/* Closes and frees what it has; it is all zero then. */
void job_tree_free(struct job_tree *t);

/* The whole of type job where s->shared->tree is set. 0 or -errno. */
int job_tree_collect(struct source *s) MUST_CHECK;

/*
 * Kills with SIGKILL what is left of fronts that are lost, as of the last look. all: no front is
 * there any more, though /proc may still show one that is being killed.
 */
void job_tree_kill_lost(struct job_tree *t, struct source *s, bool all);
