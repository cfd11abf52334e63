/* SPDX-License-Identifier: BSD-3-Clause */
/* rapl_power.h - read energy from the perf PMU "power" if powercap is unreadable */
#pragma once

#include "collectors/pmu/plan.h"

/* The counters of each package, or of each die of a package. */
struct power {
	size_t n;
	bool reopened;		/* power_read() read some counter for the first time */
	struct power_package {
		unsigned package, die;
		bool has_die;		/* the package has several dies */
		bool read;		/* the last power_read() has set .uj */
		struct pmu_group group;
		/* energy counted by each slot of .group since it was opened, in microjoules */
		uint64_t uj[PMU_GROUP];
	} *package;
};

/*
 * Find the PMU "power", and open those of its counters that are not open. The dies of an AMD
 * package share a counter. Returns 0, or -ENOENT with the reason in s->why and no counters in *p.
 * In a captured tree, the counters are listed but not opened, and the result is -ENOENT, too.
 */
int power_look(struct source *s, struct power *p, bool amd) MUST_CHECK;
void power_read(struct power *p);	/* Read all counters, with one system call per package. */
void power_end(struct power *p);

/* Return powercap's name for the zone of this counter, such as "dram". */
const char *power_zone(const struct pmu_slot *slot);

/* Convert the PMU's unit, 2^-32 J, to microjoules, rounded down. */
static inline uint64_t power_uj(uint64_t count)
{
	return (count >> 32) * 1000000 + ((count & UINT32_MAX) * 1000000 >> 32);
}
