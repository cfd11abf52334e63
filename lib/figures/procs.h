/* SPDX-License-Identifier: BSD-3-Clause */
/* procs.h - programs: their largest memory use, and processes that are bound to few CPUs */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "schema/record.h"

#define PROCS_MAX 4096		/* limit of programs; further programs are left out */
#define PROC_NAME_MAX 64

/* A program: all processes with the same name, with the largest values that any of them had. */
struct proc {
	char name[PROC_NAME_MAX];
	/*
	 * largest resident memory, bytes: as noted by the kernel (VmHWM), and in any sample (VmRSS)
	 */
	uint64_t hwm, rss;
	uint64_t threads;
	/* real user of the process in the newest row of the program; 0: unknown, or root */
	uint64_t uid;
	size_t node;		/* index in struct report of the node with the largest .hwm */
};

/*
 * Programs seen on one node, or on all nodes of a job. All zero is an empty table; procs_free()
 * releases it.
 */
struct procs {
	struct proc *proc;
	size_t n, cap;
	/* number of programs left out because their memory exceeds the size of the node's memory */
	size_t beyond;
	struct map by_name;
	size_t next;		/* index of the program that the next row is expected to have */
	const struct record_type *type;	/* record type to which the indexes in .key belong */
	int key[4];
};

/* Add a row of type proc. */
void procs_row(struct procs *p, const struct record_type *type, const struct record_row *row);
/* Forget the record type. Call this before the record type is freed. */
void procs_new_file(struct procs *p);
void procs_clear(struct procs *p);
void procs_free(struct procs *p);

/*
 * Add `from`, the programs of one node, to `to`, the programs of all nodes. memory: size of the
 * node's memory in bytes; 0: unknown.
 */
void procs_merge(struct procs *to, const struct procs *from, size_t node, double memory);
/* Sort the programs by .hwm, largest first. Add no programs after this call. */
void procs_sort(struct procs *p);

/*
 * Processes that are bound to fewer CPUs than the node has, in one sample: the sample in which
 * their number most exceeds the number of these CPUs or, if it never does, the sample in which
 * their number of threads does. Type proc only has the CPUs of the first thread of each process.
 */
struct bound {
	uint64_t processes;	/* number of bound processes; 0: none */
	uint64_t threads;	/* number of threads of these processes */
	uint64_t cpus;		/* number of CPUs on which any of the bound processes may run */
};

/* Add a sample: the CPUs of each process in type proc, and the number of CPUs in type cpu. */
void bound_take(struct bound *b, const struct record *r);
/* Add the result of another run of the job on the node. */
void bound_add(struct bound *to, const struct bound *more);
