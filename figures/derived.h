/* SPDX-License-Identifier: BSD-3-Clause */
/* derived.h - figures that are made of others: cycles per instruction, GFLOP/s, power */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "figures/figures.h"
#include "figures/value.h"

#define DERIVED_TERMS 9
#define DERIVED_MAX   64

struct derived_term {
	enum quantity quantity;
	double weight;
};

/*
 * The weighted sum of .over by that of .under; without .under it is a rate, by the time of the
 * job on the node. What a node has no figure of adds nothing; it has a value if it has one of
 * .over, and of .under too.
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

/* One of them on one node, or on all nodes of a job. */
struct derived_value {
	bool known;
	bool floor;		/* it is that much, at least */
	double over, under;	/* .under in seconds, where it is a rate */
	uint32_t devices;	/* whose counters are in it, */
	uint32_t left_out;	/* and are not, since they counted something else meanwhile */
};
struct derived_value derived_of(const struct derived *d, const struct value *value,
				double seconds);
double derived_number(const struct derived *d, const struct derived_value *v);
