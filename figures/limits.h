/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - the most that a device or a node can do: what is beyond it was not counted */
#pragma once

#include "figures/devices.h"
#include "figures/value.h"

struct limit {
	const char *type, *key;	/* NULL: all keys of this unit */
	enum figure_unit unit;
	double each;		/* of a device: a counter in a second, a gauge at a moment */
	bool cpus;		/* a counter: in a second, as many as there are CPUs */
	const char *within;	/* a gauge of the node: not more than this figure */
	const char *what;	/* "more than ..." */
};

const struct limit *limit_of(const struct figure *f);	/* NULL: none is known */

/* "the time of a CPU": what a figure that is beyond its limit is more than. */
const char *limit_what(const struct figure *f);

/* The most that a counter of one a second counts in so many seconds: samples take time. */
static inline double limit_seconds(double seconds)
{
	return 1.01 * seconds + 1;
}

/* The limits that a node is judged by. */
struct judge {
	struct figures table;
	const struct limit *const *limit;	/* of each figure */
	double seconds;				/* from its first sample to the last */
	size_t cpus;				/* 0: not known */
	bool hooked;	/* the job itself did nothing before the first sample */
	double up;	/* at that the node had been up for so many seconds; 0: not known */
};

/* Adds to .beyond of the values of its figures: one share of a whole takes all others with it. */
void judge_device(const struct judge *j, const struct device *d, struct value *value);
void judge_gauges(const struct judge *j, struct value *value);	/* of all devices together */
double judge_memory(struct figures table, const struct value *value);	/* bytes; 0: not known */
