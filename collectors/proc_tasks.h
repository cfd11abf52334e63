/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_tasks.h - list users' processes with one run of a BPF program */
#pragma once

#include "collectors/bpf/proc_shared.h"
#include "collectors/proc_status.h"
#include "collectors/source.h"

#define PROC_LIST_BYTES 4096

/*
 * A mask of CPUs or NUMA nodes, and its text such as "0-3,8". The text is kept for the next
 * process, because most processes have the same mask.
 */
struct proc_list {
	unsigned long long bits[PROC_WORDS];
	size_t n;		/* length of .text; 0: not set yet */
	char text[PROC_LIST_BYTES];
};

/* All zero is a valid new state. */
struct proc_tasks {
	struct proc_list cpus, nodes;
	bool trusted;		/* the program's values agreed with a file at least once */
	unsigned strikes;	/* number of consecutive processes with a difference */
	/*
	 * .approximate of struct proc_shared was inverted after three differences; this happens
	 * only once
	 */
	bool switched;
	uint32_t pid;		/* pid of the next process to verify; 0: none */
	size_t turn;
};

/*
 * The collector's callbacks. The strings in add()'s argument `status` are valid only during the
 * call. read_file() returns false if the process's file cannot be read.
 */
struct proc_hearer {
	void (*add)(void *arg, uint32_t pid, const struct proc_status *status);
	bool (*read_file)(void *arg, uint32_t pid, struct proc_status *ret);
	void *arg;
};

/*
 * Run the BPF program, and call add() for each process whose effective user id is at least uid_min
 * and not that of nobody, sorted by pid.
 *
 * The program is verified: the file of one process, read before and after the walk, must have the
 * program's values. Each walk except the first is verified until the values agree; then a walk is
 * verified at each rescan. Until they agree, add() is not called. After three differences in a row,
 * verification begins again; after three more, p->why is set, and the program is no longer used.
 *
 * Returns false if the program was not verified before this walk, or if the walk fails: then drop
 * what add() got, and read files instead.
 */
bool proc_tasks_walk(struct proc_tasks *t, struct program *p, uint64_t uid_min, bool rescan,
		     const struct proc_hearer *h);
