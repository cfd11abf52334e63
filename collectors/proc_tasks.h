/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_tasks.h - users' processes from one walk of a program in the kernel */
#pragma once

#include "collectors/bpf/proc_shared.h"
#include "collectors/proc_status.h"
#include "collectors/source.h"

#define PROC_LIST_BYTES 4096

/* A list of bits as text, "0-3,8": most processes have the same. */
struct proc_list {
	unsigned long long bits[PROC_WORDS];
	size_t n;		/* of .text; 0: none yet */
	char text[PROC_LIST_BYTES];
};

/* All zero is a new one. */
struct proc_tasks {
	struct proc_list cpus, nodes;
	bool trusted;		/* a process was as its file */
	unsigned strikes;	/* processes, one after another, that were not */
	bool switched;		/* .approximate was changed for that, once */
	uint32_t pid;		/* the process that is judged next, 0: none */
	size_t turn;
};

/* The collector hears of processes, and reads a file of one. */
struct proc_hearer {
	void (*add)(void *arg, uint32_t pid, const struct proc_status *status);
	bool (*read_file)(void *arg, uint32_t pid, struct proc_status *ret);
	void *arg;
};

/*
 * Calls add() for each process of users with ids from uid_min on, in the order of their ids. The
 * file of one is read before and after the first walk, and when devices are looked for: it judges.
 * False: it is not known to be right, or differed three times; files have to be read.
 */
bool proc_tasks_walk(struct proc_tasks *t, struct program *p, uint64_t uid_min, bool rescan,
		     const struct proc_hearer *h);
