/* SPDX-License-Identifier: BSD-3-Clause */
/* budget.h - token bucket of CPU time: a burst, and a fraction of all time in the long run */
#pragma once

#include <stdint.h>

/* A budget. All zero is a full budget. */
struct budget {
	int64_t spent_ns;	/* CPU time spent so far, minus the CPU time regained */
	int64_t since_ns;	/* time of the last call, in nanoseconds of CLOCK_MONOTONIC */
};

/*
 * Spend cost_ns of CPU time. The budget regains 1/part of the time that passes. Returns for how
 * many ns the caller must wait until the balance is at_once_ns or less; 0: need not wait.
 */
static inline int64_t budget_spend(struct budget *b, int64_t now_ns, int64_t cost_ns,
				   int64_t at_once_ns, int part)
{
	int64_t earned = (now_ns - b->since_ns) / part;
	b->spent_ns = (b->spent_ns > earned ? b->spent_ns - earned : 0) + cost_ns;
	b->since_ns = now_ns;
	return b->spent_ns > at_once_ns ? (b->spent_ns - at_once_ns) * part : 0;
}
