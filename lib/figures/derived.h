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
 * A figure computed from others: the weighted sum of the quantities in .over, divided by the
 * weighted sum of the quantities in .under. If .under is empty, the figure is a rate: the sum of
 * .over is divided by the time of the job on the node. The figure is known on a node that counts a
 * quantity of .over and, unless .under is empty, a quantity of .under. If the node should count
 * another quantity but does not, the value is only a bound.
 */
struct derived {
	const char *id, *section, *label, *unit;
	const char *formula;	/* the formula as text, for the manual */
	struct derived_term over[DERIVED_TERMS], under[DERIVED_TERMS];
	double scale;		/* factor for the result; 0 means 1 */
	bool floor;		/* the value is always a lower bound */
};

extern const struct derived derived[];
extern const size_t n_derived;

/* Find a derived figure by its id. Returns n_derived if there is none. */
size_t derived_find(const char *id);

/* A derived figure of one node, or of all nodes of a job. */
struct derived_value {
	bool known;
	bool part;		/* a quantity is missing, so the value is only a bound */
	/*
	 * if .part: smallest and largest wo / wu of the missing quantities, where wo and wu are the
	 * weights of a quantity in the sums .over and .under; INFINITY if wu is 0. If an amount x
	 * is missing, the true value is (.over + wo * x) / (.under + wu * x), a number between
	 * .over / .under and wo / wu
	 */
	double least, most;
	double over, under;	/* weighted sums; for a rate, .under is the time in seconds */
	/* estimated parts of .over and of .under: see DELTA_OK in schema/delta.h */
	double inferred[2];
	uint64_t steps[DELTA_HOWS];	/* number of changes of the counters, by kind */
	uint64_t resets[2];	/* number of resets of the counters in .over, and in .under */
	uint32_t devices;	/* number of devices in the value */
	/* number of devices left out because their counters were programmed for another event */
	uint32_t left_out;
};
/*
 * Compute a derived figure of one node. value: an entry for each of figures[]; seconds: time of the
 * job on the node.
 */
struct derived_value derived_of(const struct derived *d, const struct value *value,
				double seconds);
/* Add the value of another node, which must be known. */
void derived_add(struct derived_value *to, const struct derived_value *more);

/* How the true value of a derived figure compares with the computed value. */
enum derived_bound {
	BOUND_NONE,	/* the computed value is exact */
	BOUND_AT_LEAST,
	BOUND_AT_MOST,
	BOUND_UNKNOWN,	/* the true value may be smaller or larger */
};
enum derived_bound derived_bound(const struct derived_value *v);
/* Return the computed value, in .unit of the figure. The value must be known. */
double derived_number(const struct derived *d, const struct derived_value *v);
/* Return true if the derived figure uses a figure that no page of a report shows. */
bool derived_is_of_hidden(const struct derived *d);
/* Return how much of the value is an estimate, in percent. */
double derived_inferred(const struct derived_value *v);
