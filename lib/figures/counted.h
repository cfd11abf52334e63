/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.h - amount of each quantity between two samples */
#pragma once

#include "figures/derived.h"
#include "figures/figure_steps.h"

/*
 * Amount of one quantity, or of a weighted sum of quantities, between two samples. Figures are
 * added only if they cover the same interval.
 */
struct counted {
	/* .any: something was counted; .broken: a part of the amount is unknown */
	bool any, broken;
	int64_t from, to;	/* start and end of the interval in microseconds */
	double n;
};

/*
 * Compute the amounts of the newest sample from the changes in s of all figures that have a
 * quantity.
 */
void counted_take(struct counted counted[N_QUANTITIES], const struct steps *s);

/*
 * Compute a derived figure between two samples. Returns false if the value is unknown. It is
 * unknown for hardware counters that are multiplexed, since a counter does not count while others
 * use its register.
 */
bool counted_derived(const struct counted counted[N_QUANTITIES], const struct derived *d,
		     double *value, int64_t *from, int64_t *to);
