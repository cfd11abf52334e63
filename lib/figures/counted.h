/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.h - how much of each quantity there was from one sample to the next */
#pragma once

#include "figures/derived.h"
#include "figures/figure_steps.h"

/* Of one quantity, or of a sum of them; of several figures only if they are of the same time. */
struct counted {
	bool any, broken;	/* something of it was counted; some of it is not known */
	int64_t from, to;	/* microseconds */
	double n;
};

/* Of the newest sample, from the figures of its table that have a quantity. */
void counted_take(struct counted counted[N_QUANTITIES], const struct steps *s);

/*
 * A derived figure between two samples: false if it is not known; for counters that took turns
 * with others it is not, since they say what they counted, not how much there was just then.
 */
bool counted_derived(const struct counted counted[N_QUANTITIES], const struct derived *d,
		     double *value, int64_t *from, int64_t *to);
