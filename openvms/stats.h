/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - current, average, least and largest value of each item of a node */
#pragma once

#include "openvms/moment.h"
#include "schema/delta.h"

enum statistic { STAT_CURRENT, STAT_AVERAGE, STAT_MINIMUM, STAT_MAXIMUM, STATISTICS };

/* Statistics of one item. A count is shown as a rate per second, a level as it is. */
struct stat_of {
	bool known;		/* .current is a value of the newest moment */
	struct counter counter;
	double current, least, largest;
	/* the average is .total divided by .weight, which counts seconds, moments or tries */
	double total, weight;
	uint32_t n;		/* number of values */
};

/* Read a statistic. Returns false if there is no value. */
bool stat_value(const struct stat_of *s, enum statistic which, double *ret);

/* The items of a CPU, a disk or a process. A system class has one series, named "". */
struct stats_series {
	char name[40];
	bool here;		/* the newest moment has this series */
	int64_t stamp;
	struct stat_of of[VMS_ITEMS_MAX];
};

struct class_stats {
	struct stats_series *series;
	size_t n, cap, next;
	struct stats_series all;	/* all CPUs of MODES together */
	uint32_t moments;
};

/* All zero is a valid empty state; stats_free() releases it. */
struct stats {
	struct class_stats of[VMS_CLASSES];
	int64_t first, last;	/* stamps of the first and the last moment */
	uint32_t moments;
};

void stats_take(struct stats *s, const struct monitor_moment *m);
/* Start the counts again after the node was booted. */
void stats_restart(struct stats *s);
void stats_free(struct stats *s);

/*
 * Return true if an item counts hits of a cache. The next item is then the tries, and hits are
 * shown as a percentage of the tries.
 */
static inline bool stats_is_hit(size_t class, size_t item)
{
	return class == VMS_FILE_SYSTEM_CACHE && item % 2 == 0;
}
