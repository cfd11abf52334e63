/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - find where the rows of a record type have the values that its figures use */
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
	size_t first, n;	/* first figure of the type in the table; number of its figures */
	bool procs;
	bool compare;		/* rows are compared, to find devices that have the same values */
	/*
	 * numbers of two keys that count bytes, -1: none; a device was used if one of the values is
	 * not 0
	 */
	int moved[2];
	struct plan_column *column;	/* n entries */
	bool events;	/* the type has counters whose event depends on a control register */
	/* key numbers of the control registers and of their counters; -1: none */
	int ctl[PLAN_CTL], ctr[PLAN_CTL];
};

/* Make a plan. type is borrowed; plan_free() releases the plan. */
void plan_init(struct plan *p, struct figures table, const struct record_type *type);
void plan_free(struct plan *p);

/*
 * Find the number of a figure's key in this row. Returns -1 if no counter of the row has the
 * figure's event.
 */
int plan_key(const struct plan *p, const struct figure *f, const struct plan_column *c,
	     const struct record_row *row);

/*
 * Compute a hash of all values of a row. Sets *moved if the device was used: see .moved of struct
 * plan.
 */
uint64_t plan_hash(const struct plan *p, const struct record_row *row, bool *moved);
