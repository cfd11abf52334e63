/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - the most that a device or a node can do: larger values are wrong */
#pragma once

#include "figures/devices.h"
#include "figures/value.h"

struct limit {
	const char *type, *key;	/* NULL: all types; all keys of this unit */
	enum figure_unit unit;
	enum quantity quantity;	/* Q_NONE: any quantity */
	/* most of one device: of a counter in a second, of a gauge at any time */
	double each;
	/* a counter that cannot count more per second than there are CPUs */
	bool cpus;
	const char *within;	/* id of the figure that this gauge of the node cannot exceed */
	const char *what;	/* text for messages, after "more than" */
};

/* Get the limit of row i of a table. Returns NULL if no limit is known. */
const struct limit *limit_of(struct figures table, size_t i);

/*
 * Compute the most that a device counts in a second. Returns 0 if unknown, for example without the
 * number of CPUs.
 */
double limit_most(const struct limit *l, const char *device, size_t cpus);

/* Describe what a value beyond the limit exceeds, such as "the time of a CPU". */
const char *limit_what(const struct figure *f);

/*
 * Compute the most that a counter of seconds can count in this time. Samples take time, so allow 1
 * % and 1 s more.
 */
static inline double limit_seconds(double seconds)
{
	return 1.01 * seconds + 1;
}

/* The limits of a node, and the facts needed to apply them. */
struct judge {
	struct figures table;
	const struct limit *const *limit;	/* limit of each figure */
	double seconds;				/* seconds from the first sample to the last */
	size_t cpus;				/* 0: not known */
	bool hooked;	/* the job itself did nothing before the first sample */
	double up;	/* seconds since the boot at the first sample; 0: not known */
};

/*
 * Add 1 to .beyond of the value of each figure for which the device exceeds its limit. If the
 * shares of a whole exceed it together, all shares are beyond.
 */
void judge_device(const struct judge *j, const struct device *d, struct value *value);
/* check the gauges, summed over all devices */
void judge_gauges(const struct judge *j, struct value *value);
/* memory of the node in bytes; 0: not known */
double judge_memory(struct figures table, const struct value *value);
