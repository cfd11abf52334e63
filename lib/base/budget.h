/* SPDX-License-Identifier: BSD-3-Clause */
/* budget.h - some CPU time at once, and a part of all time in the long run */
#pragma once

#include <stdint.h>

/* All zero is one of which nothing was spent. */
struct budget {
	int64_t spent_ns;	/* and not earned again */
	int64_t since_ns;	/* monotonic */
};

/*
 * Spends so much. How long to rest until no more than at_once_ns is spent, of which the passing of
 * time gives back one part; 0 as long as there is enough.
 */
static inline int64_t budget_spend(struct budget *b, int64_t now_ns, int64_t cost_ns,
				   int64_t at_once_ns, int part)
{
	int64_t earned = (now_ns - b->since_ns) / part;
	b->spent_ns = (b->spent_ns > earned ? b->spent_ns - earned : 0) + cost_ns;
	b->since_ns = now_ns;
	return b->spent_ns > at_once_ns ? (b->spent_ns - at_once_ns) * part : 0;
}
