/* SPDX-License-Identifier: BSD-3-Clause */
/* procs.h - processes: high-water marks of programs, and which are bound to few CPUs */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "schema/record.h"

#define PROCS_MAX 4096		/* most names; further names are left out */
#define PROC_NAME_MAX 64

/* Largest values of any process with this name. */
struct proc {
	char name[PROC_NAME_MAX];
	uint64_t hwm, rss;	/* bytes */
	uint64_t threads;
	uint64_t uid;		/* real user of the newest process; 0: not known, or root */
	size_t node;		/* node with the largest .hwm */
};

/* All zero is a valid empty table; procs_free() releases it. */
struct procs {
	struct proc *proc;
	size_t n, cap;
	/* processes left out because they exceed the memory of their node */
	size_t beyond;
	struct map by_name;
	size_t next;		/* likely position of the next row */
	const struct record_type *type;	/* type of the columns in .key */
	int key[4];
};

/* Add a row of type proc. */
void procs_row(struct procs *p, const struct record_type *type, const struct record_row *row);
void procs_new_file(struct procs *p);
void procs_clear(struct procs *p);
void procs_free(struct procs *p);

/*
 * Add the processes of a node to the table of all nodes. memory is the node's memory in bytes; 0:
 * unknown.
 */
void procs_merge(struct procs *to, const struct procs *from, size_t node, double memory);
void procs_sort(struct procs *p);		/* sort by .hwm, largest first */

/*
 * The sample with the most bound processes beyond their CPUs. The threads of one process may each
 * be bound to a CPU of their own, and type proc has the mask of the first thread alone.
 */
struct bound {
	uint64_t processes;	/* processes that are bound; 0: none */
	uint64_t cpus;		/* CPUs that one of these processes may use */
};

/* Add a sample: masks of processes in type proc, and the number of CPUs in type cpu. */
void bound_take(struct bound *b, const struct record *r);
