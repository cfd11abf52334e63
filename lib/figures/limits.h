/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - largest possible values of figures: larger readings are errors */
#pragma once

#include "figures/devices.h"
#include "figures/value.h"

struct limit {
	const char *type, *key;	/* .type NULL: all types; .key NULL: all keys with this unit */
	enum figure_unit unit;
	enum quantity quantity;	/* Q_NONE: any quantity */
	/* largest possible reading of one device; for a counter, largest growth per second */
	double each;
	/*
	 * the counter is CPU seconds of all CPUs: it cannot grow by more per second than the number
	 * of CPUs
	 */
	bool cpus;
	/* id of another figure of the node, which this gauge cannot exceed */
	const char *within;
	/* the limit for messages, such as "the time of a CPU" after "more than" */
	const char *what;
};

/* Return the limit of row i of a table, or NULL if none is known. */
const struct limit *limit_of(struct figures table, size_t i);

/*
 * Return how much a counter of a device can grow per second; 0 if unknown. cpus: number of CPUs of
 * the node, or 0 if unknown.
 */
double limit_most(const struct limit *l, const char *device, size_t cpus);

/* Return the limit of a figure for a message, such as "the time of a CPU". */
const char *limit_what(const struct figure *f);

/*
 * Return how much a counter of time can grow in this many seconds: 1 % and 1 s more than these
 * seconds, because taking a sample takes time.
 */
static inline double limit_seconds(double seconds)
{
	return 1.01 * seconds + 1;
}

/* Limits of the figures of a node, and what is known about its samples. */
struct judge {
	struct figures table;
	const struct limit *const *limit;	/* limit of each figure */
	double seconds;				/* seconds from the first sample to the last */
	size_t cpus;				/* number of CPUs; 0: unknown */
	bool hooked;	/* the counters of the job itself were 0 at the first sample */
	double up;	/* seconds from the boot to the first sample; 0: unknown */
};

/*
 * Add 1 to .beyond of each figure whose limit the device exceeds. If only the sum of the
 * FIGURE_SHAREs of a device exceeds the limit, the idle time is reduced by the excess; if that is
 * not possible, .beyond of each share is increased.
 */
void judge_device(const struct judge *j, const struct device *d, struct value *value);
/* Add 1 to .beyond of each gauge whose sum over all devices exceeds its limit. */
void judge_gauges(const struct judge *j, struct value *value);
/* Return the size of the node's memory in bytes; 0: unknown. */
double judge_memory(struct figures table, const struct value *value);
