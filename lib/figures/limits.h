/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - largest possible values of devices and nodes: larger readings are errors */
#pragma once

#include "figures/devices.h"
#include "figures/value.h"

struct limit {
	const char *type, *key;	/* .type NULL: all types; .key NULL: all keys with this unit */
	enum figure_unit unit;
	enum quantity quantity;	/* Q_NONE: any quantity */
	/* largest possible reading of one device; for a counter, largest growth per second */
	double each;
	/* the counter is CPU time: it cannot grow by more than the number of CPUs each second */
	bool cpus;
	const char *within;	/* id of a figure of the node that this gauge cannot exceed */
	/* noun phrase for messages such as "more than the time of a CPU" */
	const char *what;
};

/* Return the limit of row i of a table, or NULL if none is known. */
const struct limit *limit_of(struct figures table, size_t i);

/*
 * Return how much a counter of a device can grow per second; 0 if unknown. cpus: number of CPUs, 0
 * if unknown.
 */
double limit_most(const struct limit *l, const char *device, size_t cpus);

/* Return the limit of a figure for a message, such as "the time of a CPU". */
const char *limit_what(const struct figure *f);

/*
 * Return the largest growth of a time counter in this time. Samples take time, so allow 1 % and 1 s
 * more.
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
	bool hooked;	/* the job's own counters were 0 at the first sample */
	double up;	/* seconds from the boot to the first sample; 0: unknown */
};

/*
 * Add 1 to .beyond of each figure whose limit the device exceeds. Shares of a whole may exceed the
 * limit together; this counts for each share, unless a shorter idle time is enough: it is reduced
 * then.
 */
void judge_device(const struct judge *j, const struct device *d, struct value *value);
/* Check the gauges, which are sums over all devices. */
void judge_gauges(const struct judge *j, struct value *value);
/* Return the size of the node's memory in bytes; 0: unknown. */
double judge_memory(struct figures table, const struct value *value);
