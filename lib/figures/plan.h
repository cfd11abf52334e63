/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - find the keys of a record type from which figures are computed ("plan") */
#pragma once

#include "figures/figures.h"
#include "schema/record.h"

struct plan_column {
	/* indexes of the figure's .key and .less; -1: the type lacks the key */
	int key, less[2];
	double scale;
	unsigned bits;
};

#define PLAN_CTL 8

struct plan {
	const struct record_type *type;
	/* index in the table of the type's first figure; number of the type's figures */
	size_t first, n;
	bool procs;
	bool compare;	/* compare the rows of a sample, to find devices with the same values */
	/*
	 * with .compare: keys of two counters of bytes, or -1; if both are 0, the device was not
	 * used
	 */
	int moved[2];
	struct plan_column *column;	/* one for each figure */
	bool events;	/* control registers select the events that the counters count */
	/* with .events: keys of the control registers, and of their counters; -1: none */
	int ctl[PLAN_CTL], ctr[PLAN_CTL];
};

/*
 * Make a plan for a record type and a table of figures. `type` is borrowed; plan_free() releases
 * the plan.
 */
void plan_init(struct plan *p, struct figures table, const struct record_type *type);
void plan_free(struct plan *p);

/*
 * Return the index of the key that holds figure f in this row, or -1 if there is none. c: the
 * figure's column in the plan.
 */
int plan_key(const struct plan *p, const struct figure *f, const struct plan_column *c,
	     const struct record_row *row);

/*
 * Return a hash of all values of a row. Sets *moved to true if the device was used (see .moved of
 * struct plan).
 */
uint64_t plan_hash(const struct plan *p, const struct record_row *row, bool *moved);
