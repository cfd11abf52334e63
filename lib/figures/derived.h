/* SPDX-License-Identifier: BSD-3-Clause */
/* derived.h - figures that are made of others: cycles per instruction, GFLOP/s, power */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "figures/figures.h"
#include "figures/value.h"

#define DERIVED_TERMS 9
#define DERIVED_MAX   80

struct derived_term {
	enum quantity quantity;
	double weight;
};

/*
 * The weighted sum of .over by that of .under; without .under it is a rate, by the time of the
 * job on the node. A node has a value of it if it counts a term of .over, and of .under too; a term
 * that it should count and does not is missing, and the value is a bound.
 */
struct derived {
	const char *id, *section, *label, *unit;
	const char *formula;	/* for the manual */
	struct derived_term over[DERIVED_TERMS], under[DERIVED_TERMS];
	double scale;		/* 0 is 1 */
	bool floor;		/* always: there may be more of it */
};

extern const struct derived derived[];
extern const size_t n_derived;

size_t derived_find(const char *id);	/* n_derived: there is none */

/*
 * A derived figure on one node, or on all nodes of a job. Each thing that was not counted, the more
 * of it there was, moves the value from over / under towards a ratio of its own: its weight in
 * .over by that in .under; infinity where .under does not have it, 0 where .over does not.
 */
struct derived_value {
	bool known;
	bool part;		/* something is missing: */
	double least, most;	/* the least and the largest of these ratios */
	double over, under;	/* .under in seconds, where it is a rate */
	uint32_t devices;	/* whose counters are in it, */
	uint32_t left_out;	/* and are not, since they counted something else meanwhile */
};
struct derived_value derived_of(const struct derived *d, const struct value *value,
				double seconds);
void derived_add(struct derived_value *to, const struct derived_value *more);

/* Which side of the number the value is on. */
enum derived_bound {
	BOUND_NONE,	/* the number is the value */
	BOUND_AT_LEAST,
	BOUND_AT_MOST,
	BOUND_UNKNOWN,	/* things are missing that move it either way */
};
enum derived_bound derived_bound(const struct derived_value *v);
double derived_number(const struct derived *d, const struct derived_value *v);
