/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - current, average, least and largest value of each item */
#pragma once

#include "openvms/moment.h"
#include "schema/delta.h"

enum statistic { STAT_CURRENT, STAT_AVERAGE, STAT_MINIMUM, STAT_MAXIMUM, STATISTICS };

/* Statistics of one item. For counters, the values are rates per second; for levels, the levels. */
struct stat_of {
	bool known;		/* .current is the value of the newest sample */
	struct counter counter;
	double current, least, largest;
	/*
	 * the average is .total / .weight; weights are seconds, numbers of samples or of cache
	 * lookups
	 */
	double total, weight;
	uint32_t n;		/* number of values */
};

/* Set *ret to one statistic. Returns false if it has no value. */
bool stat_value(const struct stat_of *s, enum statistic which, double *ret);

/* Statistics of one CPU, disk or process; or, with an empty name, of the whole node. */
struct stats_series {
	char name[40];
	bool here;		/* the newest sample has this CPU, disk or process */
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
/* Forget the last counter readings, because the node was rebooted. */
void stats_restart(struct stats *s);
void stats_free(struct stats *s);

/*
 * Return true if an item counts cache hits. They are shown in percent of the cache lookups, which
 * item + 1 counts.
 */
static inline bool stats_is_hit(size_t class, size_t item)
{
	return class == VMS_FILE_SYSTEM_CACHE && item % 2 == 0;
}
