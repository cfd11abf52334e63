/* SPDX-License-Identifier: BSD-3-Clause */
/* procs.h - programs: high-water marks of their memory, and processes that are bound to few CPUs */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "schema/record.h"

#define PROCS_MAX 4096		/* limit of names of programs; further names are left out */
#define PROC_NAME_MAX 64

/* A program: the largest values of all processes with this name. */
struct proc {
	char name[PROC_NAME_MAX];
	/* largest resident memory so far (VmHWM), and resident memory in a sample (VmRSS), bytes */
	uint64_t hwm, rss;
	uint64_t threads;
	uint64_t uid;	/* real user of the newest of these processes; 0: unknown, or root */
	size_t node;		/* index of the node on which .hwm was found */
};

/*
 * Programs seen on a node or on all nodes. All zero is a valid empty table; procs_free() releases
 * it.
 */
struct procs {
	struct proc *proc;
	size_t n, cap;
	/* number of programs left out because their memory would exceed the node's memory */
	size_t beyond;
	struct map by_name;
	size_t next;		/* index of the program that the next row is expected to have */
	const struct record_type *type;	/* record type that .key was made for */
	int key[4];
};

/* Add a row of type proc. */
void procs_row(struct procs *p, const struct record_type *type, const struct record_row *row);
/* Forget the record type. Call this before the type is freed. */
void procs_new_file(struct procs *p);
void procs_clear(struct procs *p);
void procs_free(struct procs *p);

/*
 * Add the programs of a node to those of all nodes. memory: size of the node's memory in bytes; 0:
 * unknown.
 */
void procs_merge(struct procs *to, const struct procs *from, size_t node, double memory);
/* Sort by .hwm, largest first; add no program afterwards. */
void procs_sort(struct procs *p);

/*
 * Processes bound to too few CPUs, in the sample with most processes beyond the number of these
 * CPUs; if there are never too many processes, their threads count. Type proc has the CPUs of the
 * first thread of each process only.
 */
struct bound {
	uint64_t processes;	/* number of bound processes; 0: none */
	uint64_t threads;	/* number of their threads */
	uint64_t cpus;		/* number of CPUs on which any of these processes may run */
};

/* Add a sample: the CPUs of each process in type proc, and the number of CPUs in type cpu. */
void bound_take(struct bound *b, const struct record *r);
/* Add the result of another run of the job. */
void bound_add(struct bound *to, const struct bound *more);
