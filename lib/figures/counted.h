/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.h - how much of each quantity, such as bytes, was counted between two samples */
#pragma once

#include "figures/derived.h"
#include "figures/figure_steps.h"

/*
 * How much of a quantity, or of a weighted sum of quantities, was counted between two samples. If
 * amounts to be added cover different intervals, the sum is .broken.
 */
struct counted {
	/* .any: some figure counted the quantity; .broken: a part of .n is unknown */
	bool any, broken;
	int64_t from, to;	/* start and end of the interval in microseconds */
	double n;
};

/*
 * Compute how much of each quantity was counted since the previous sample, from the changes of
 * figures in `s`.
 */
void counted_take(struct counted counted[N_QUANTITIES], const struct steps *s);

/*
 * Compute a derived figure for the interval *from to *to between two samples. Returns false if the
 * value is unknown. Multiplexed hardware counters make it unknown, since a counter does not count
 * while other counters use its register.
 */
bool counted_derived(const struct counted counted[N_QUANTITIES], const struct derived *d,
		     double *value, int64_t *from, int64_t *to);
