/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.h - amount of each quantity between two samples */
#pragma once

#include "figures/derived.h"
#include "figures/figure_steps.h"

/*
 * Amount of one quantity, or of a sum of quantities. Several figures are added only if they cover
 * the same interval.
 */
struct counted {
	bool any, broken;	/* something was counted; part of the amount is unknown */
	int64_t from, to;	/* start and end of the interval in microseconds */
	double n;
};

/* Compute the amounts of the newest sample from all figures of s that have a quantity. */
void counted_take(struct counted counted[N_QUANTITIES], const struct steps *s);

/*
 * Compute a derived figure between two samples. Returns false if the value is unknown. Figures of
 * multiplexed hardware counters are unknown: while a counter waits for its turn, it does not count.
 */
bool counted_derived(const struct counted counted[N_QUANTITIES], const struct derived *d,
		     double *value, int64_t *from, int64_t *to);
