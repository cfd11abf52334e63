/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - the most that a device or a node can do: larger values are wrong */
#pragma once

#include "figures/devices.h"
#include "figures/value.h"

struct limit {
	const char *type, *key;	/* .type NULL: all types; .key NULL: all keys with this unit */
	enum figure_unit unit;
	enum quantity quantity;	/* Q_NONE: any quantity */
	/*
	 * largest value of one device: for a counter, its growth in a second; for a gauge, any
	 * reading
	 */
	double each;
	/* the counter is CPU time: it cannot grow by more than the number of CPUs each second */
	bool cpus;
	const char *within;	/* id of another figure of the node that this gauge cannot exceed */
	/* the limit as a noun phrase, for messages such as "more than the time of a CPU" */
	const char *what;
};

/* Get the limit of row i of a table. Returns NULL if no limit is known. */
const struct limit *limit_of(struct figures table, size_t i);

/*
 * Compute how much a counter of a device can grow in a second. Returns 0 if unknown, for example if
 * the number of CPUs is not known.
 */
double limit_most(const struct limit *l, const char *device, size_t cpus);

/* Describe the limit of a figure for a message, such as "the time of a CPU". */
const char *limit_what(const struct figure *f);

/*
 * Compute how much a counter of seconds can grow in this time. Samples take time, so allow 1 % and
 * 1 s more.
 */
static inline double limit_seconds(double seconds)
{
	return 1.01 * seconds + 1;
}

/* The limits of a node's figures, and what is needed to apply them. */
struct judge {
	struct figures table;
	const struct limit *const *limit;	/* limit of each figure */
	double seconds;				/* seconds from the first sample to the last */
	size_t cpus;				/* number of CPUs; 0: unknown */
	bool hooked;	/* the job's own counters were 0 at the first sample */
	double up;	/* seconds from the boot to the first sample; 0: unknown */
};

/*
 * Add 1 to .beyond in the value of each figure for which the device exceeds its limit. If shares of
 * a whole exceed the limit together, this counts for each share.
 */
void judge_device(const struct judge *j, const struct device *d, struct value *value);
/* check the gauges, which are summed over all devices */
void judge_gauges(const struct judge *j, struct value *value);
/* return the size of the node's memory in bytes; 0: unknown */
double judge_memory(struct figures table, const struct value *value);
