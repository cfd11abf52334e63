/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - current, average, least and largest of each item of a node, from moment to moment */
#pragma once

#include "monitor/moment.h"

enum statistic { STAT_CURRENT, STAT_AVERAGE, STAT_MINIMUM, STAT_MAXIMUM, STATISTICS };

/* A count is a rate per second, a level is what it is. */
struct stat_of {
	bool started, known;	/* there is a reading before; .current is of the newest moment */
	uint32_t last;
	double current, least, largest;
	double total, weight;	/* the average is total / weight: seconds, moments, tries */
	uint32_t n;		/* how many there were */
};

/* false: there was none. */
bool stat_value(const struct stat_of *s, enum statistic which, double *ret);

/* A line of values: of a CPU, a disk, a process; a system class has one, "". */
struct series {
	char name[40];
	bool here;		/* in the newest moment */
	int64_t stamp;
	struct stat_of of[VMS_ITEMS_MAX];
};

struct class_stats {
	struct series *series;
	size_t n, cap, next;
	struct series all;	/* of MODES: all CPUs together */
	uint32_t moments;
};

/* All zero is a valid empty one; stats_free() ends it. */
struct stats {
	struct class_stats of[VMS_CLASSES];
	int64_t first, last;	/* stamps */
	uint32_t moments;
};

void stats_take(struct stats *s, const struct moment *m);
/* The node was booted: its counts begin again. */
void stats_restart(struct stats *s);
void stats_free(struct stats *s);

/* Hits of a cache come before its tries; they are shown in percent of these. */
static inline bool stats_is_hit(size_t class, size_t item)
{
	return class == VMS_FILE_SYSTEM_CACHE && item % 2 == 0;
}
