/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - current, average, least and largest value of each item */
#pragma once

#include "openvms/moment.h"
#include "schema/delta.h"

enum statistic { STAT_CURRENT, STAT_AVERAGE, STAT_MINIMUM, STAT_MAXIMUM, STATISTICS };

/* Statistics of one item. Counters are stored as rates per second, levels as they are. */
struct stat_of {
	bool known;		/* .current is the value of the newest sample */
	struct counter counter;
	double current, least, largest;
	/* the average is .total / .weight; .weight is in seconds, samples or cache lookups */
	double total, weight;
	uint32_t n;		/* number of values */
};

/* Get one statistic. Returns false if there is no value. */
bool stat_value(const struct stat_of *s, enum statistic which, double *ret);

/* Statistics of a CPU, a disk or a process; or of the whole node, with an empty name. */
struct stats_series {
	char name[40];
	bool here;		/* the newest sample has this element */
	int64_t stamp;
	struct stat_of of[VMS_ITEMS_MAX];
};

struct class_stats {
	struct stats_series *series;
	size_t n, cap, next;
	struct stats_series all;	/* for MODES: all CPUs together */
	uint32_t moments;
};

/* Statistics of a node. All zero is a valid start. */
struct stats {
	struct class_stats of[VMS_CLASSES];
	int64_t first, last;	/* stamps of the first and last sample */
	uint32_t moments;
};

void stats_take(struct stats *s, const struct monitor_moment *m);
/* Restart the counters after the node was rebooted. */
void stats_restart(struct stats *s);
void stats_free(struct stats *s);

/*
 * Return true if an item counts cache hits. Hits are shown in percent of the cache lookups, which
 * the next item counts.
 */
static inline bool stats_is_hit(size_t class, size_t item)
{
	return class == VMS_FILE_SYSTEM_CACHE && item % 2 == 0;
}
