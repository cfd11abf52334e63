/* SPDX-License-Identifier: BSD-3-Clause */
/* rapl_power.h - read energy from the perf PMU "power" if powercap is unreadable */
#pragma once

#include "collectors/pmu/plan.h"

/* The counters of each package (or of each die of a package), and their values in this sample. */
struct power {
	size_t n;
	bool reopened;		/* at least one counter was read for the first time */
	struct power_package {
		unsigned package, die;
		bool has_die;		/* the package has several dies */
		bool read;
		struct pmu_group group;
		/*
		 * for each slot of the group, the energy in microjoules since the counters were
		 * opened
		 */
		uint64_t uj[PMU_GROUP];
	} *package;
};

/*
 * Find the PMU and open the counters that are not open yet. On AMD, the dies of a package share one
 * counter. Returns 0, or -ENOENT with the reason in s->why. For a captured tree, *p has the
 * counters that would be opened.
 */
int power_look(struct source *s, struct power *p, bool amd) MUST_CHECK;
void power_read(struct power *p);	/* reads all counters, with one system call per package */
void power_end(struct power *p);

/* returns the name that powercap gives to the zone of this counter, such as "dram" */
const char *power_zone(const struct pmu_slot *slot);

/* Convert the PMU's unit, 2^-32 J, to microjoules, rounded down. */
static inline uint64_t power_uj(uint64_t count)
{
	return (count >> 32) * 1000000 + ((count & UINT32_MAX) * 1000000 >> 32);
}
