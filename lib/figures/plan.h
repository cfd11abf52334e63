/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - positions of the values of a type's figures in its rows */
#pragma once

#include "figures/figures.h"
#include "schema/record.h"

struct plan_column {
	int key, less[2];	/* key numbers; -1: the type lacks the key */
	double scale;
	unsigned bits;
};

#define PLAN_CTL 8

struct plan {
	const struct record_type *type;
	size_t first, n;	/* figures of the type in the table */
	bool procs;
	bool compare;		/* rows are compared to find devices with the same values */
	/* keys of bytes, one of which is not 0 if the device was used; -1: no key */
	int moved[2];
	struct plan_column *column;	/* n entries */
	/* some counter counts whatever event its control register selects */
	bool events;
	/* keys of control registers and their counters; -1: none */
	int ctl[PLAN_CTL], ctr[PLAN_CTL];
};

/* Make a plan. type is borrowed; plan_free() releases the plan. */
void plan_init(struct plan *p, struct figures table, const struct record_type *type);
void plan_free(struct plan *p);

/*
 * Find the key of a figure in this row. Returns -1 if no counter of the row has the figure's event.
 */
int plan_key(const struct plan *p, const struct figure *f, const struct plan_column *c,
	     const struct record_row *row);

/* Compute a hash of all values of a row. Sets *moved if the device had something to count. */
uint64_t plan_hash(const struct plan *p, const struct record_row *row, bool *moved);
