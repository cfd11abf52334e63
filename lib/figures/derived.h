/* SPDX-License-Identifier: BSD-3-Clause */
/* derived.h - figures computed from other figures: cycles per instruction, GFLOP/s, power */
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
 * A figure computed from others: the weighted sum of .over divided by the weighted sum of .under.
 * Without .under the figure is a rate, and the divisor is the time of the job on the node. A node
 * has a value if it counts a term of .over and, unless .under is empty, a term of .under. If the
 * node should count a term but does not, the term is missing, and the value is only a bound.
 */
struct derived {
	const char *id, *section, *label, *unit;
	const char *formula;	/* the formula as text, for the manual */
	struct derived_term over[DERIVED_TERMS], under[DERIVED_TERMS];
	double scale;		/* factor; 0 means 1 */
	bool floor;		/* the value is always a lower bound */
};

extern const struct derived derived[];
extern const size_t n_derived;

/* Find a derived figure by its id. Returns n_derived if there is none. */
size_t derived_find(const char *id);

/*
 * A derived figure on one node, or on all nodes of a job. Each missing quantity moves the true
 * value away from .over / .under, towards a ratio of its own: the quantity's weight in the dividend
 * divided by its weight in the divisor. This ratio is infinite if the quantity is not in the
 * divisor, and 0 if it is not in the dividend.
 */
struct derived_value {
	bool known;
	bool part;		/* some quantity is missing */
	double least, most;	/* smallest and largest ratio of all missing quantities */
	double over, under;	/* sums of the terms; .under of a rate is in seconds */
	/* estimated parts of .over and .under: changes other than DELTA_OK, see schema/delta.h */
	double inferred[2];
	uint64_t steps[DELTA_HOWS];	/* number of changes of the value's counters, by kind */
	uint64_t resets[2];	/* resets of the counters in .over and .under */
	uint32_t devices;	/* devices included in the value */
	/*
	 * devices that are not included, because their counters were programmed for another event
	 */
	uint32_t left_out;
};
struct derived_value derived_of(const struct derived *d, const struct value *value,
				double seconds);
void derived_add(struct derived_value *to, const struct derived_value *more);

/* Side of the computed number on which the true value lies. */
enum derived_bound {
	BOUND_NONE,	/* the number is exact */
	BOUND_AT_LEAST,
	BOUND_AT_MOST,
	BOUND_UNKNOWN,	/* missing quantities may move the value either way */
};
enum derived_bound derived_bound(const struct derived_value *v);
double derived_number(const struct derived *d, const struct derived_value *v);
/* Whether a term is a figure that no page of a report shows. */
bool derived_is_of_hidden(const struct derived *d);
/* Compute the estimated part of the value, in percent. */
double derived_inferred(const struct derived_value *v);
