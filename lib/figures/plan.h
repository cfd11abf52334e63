/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - find the keys of a record type that its figures use */
#pragma once

#include "figures/figures.h"
#include "schema/record.h"

struct plan_column {
	int key, less[2];	/* indexes of the keys; -1: the type lacks the key */
	double scale;
	unsigned bits;
};

#define PLAN_CTL 8

struct plan {
	const struct record_type *type;
	/* index of the first figure of the type in the table; number of its figures */
	size_t first, n;
	bool procs;
	bool compare;		/* compare rows, to find devices with the same values */
	/* with .compare: indexes of two byte counters, or -1; a device with both 0 was not used */
	int moved[2];
	struct plan_column *column;	/* n entries */
	bool events;	/* control registers select what the counters count */
	/* with .events: indexes of the control registers and of their counters; -1: none */
	int ctl[PLAN_CTL], ctr[PLAN_CTL];
};

/* Make a plan for a record type. The type is borrowed; plan_free() releases the plan. */
void plan_init(struct plan *p, struct figures table, const struct record_type *type);
void plan_free(struct plan *p);

/* Return the index of the figure's key in this row, or -1 if the row does not have it. */
int plan_key(const struct plan *p, const struct figure *f, const struct plan_column *c,
	     const struct record_row *row);

/* Return a hash of all values of a row. Sets *moved if the device was used (see .moved). */
uint64_t plan_hash(const struct plan *p, const struct record_row *row, bool *moved);
