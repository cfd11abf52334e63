/* SPDX-License-Identifier: BSD-3-Clause */
/* procs.h - the high-water marks of processes, by the name of their program */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "schema/record.h"

#define PROCS_MAX 4096		/* names; those beyond are left out */
#define PROC_NAME_MAX 64

/* The largest that any process of this name had, on the node where it was largest. */
struct proc {
	char name[PROC_NAME_MAX];
	uint64_t hwm, rss;	/* bytes */
	uint64_t threads;
	size_t node;		/* of .hwm */
};

/* All zero is a valid empty one; procs_free() ends it. */
struct procs {
	struct proc *proc;
	size_t n, cap;
	size_t beyond;		/* left out: larger than all memory of their node */
	struct map by_name;
	size_t next;		/* the one whose row comes next, mostly */
	const struct record_type *type;	/* whose columns .key holds */
	int key[3];
};

/* Of type proc. */
void procs_row(struct procs *p, const struct record_type *type, const struct record_row *row);
void procs_new_file(struct procs *p);
void procs_clear(struct procs *p);
void procs_free(struct procs *p);

/* Adds what was seen on a node, of so many bytes of memory or 0, to the table of all nodes. */
void procs_merge(struct procs *to, const struct procs *from, size_t node, double memory);
void procs_sort(struct procs *p);		/* the largest .hwm first */
