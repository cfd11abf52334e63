/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - where the values of a type's figures stand in its rows */
#pragma once

#include "figures/figures.h"
#include "schema/record.h"

struct column {
	int key, less[2];	/* -1: not there */
	double scale;
	unsigned bits;
};

#define PLAN_CTL 8

struct plan {
	const struct record_type *type;
	size_t first, n;	/* figures of the type in the table */
	bool procs;
	bool compare;		/* which devices have the same values is of interest */
	int moved[2];		/* keys of bytes, one is not 0 where there were any; -1: no key */
	struct column *column;	/* n of them */
	bool events;		/* some counter counts what its control register says: */
	int ctl[PLAN_CTL], ctr[PLAN_CTL];	/* keys of both, -1: there is none */
};

/* type is borrowed; plan_free() ends it. */
void plan_init(struct plan *p, struct figures table, const struct record_type *type);
void plan_free(struct plan *p);

/* The key of a figure in this row, -1 if it has none: none of its counters has that event. */
int plan_key(const struct plan *p, const struct figure *f, const struct column *c,
	     const struct record_row *row);

/* Of all values of a row; *moved: its device had something to count. */
uint64_t plan_hash(const struct plan *p, const struct record_row *row, bool *moved);
