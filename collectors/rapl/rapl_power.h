/* SPDX-License-Identifier: BSD-3-Clause */
/* rapl_power.h - energy as the kernel's perf PMU "power" counts it: where powercap does not */
#pragma once

#include "collectors/pmu/plan.h"

/* A group of counters for each package, or die of it, and what they said in this sample. */
struct power {
	size_t n;
	bool reopened;		/* the last read was the first one of some counters */
	struct power_package {
		unsigned package, die;
		bool has_die;		/* the package has several */
		bool read;
		struct pmu_group group;
		uint64_t uj[PMU_GROUP];	/* since they were opened, by slot of the group */
	} *package;
};

/*
 * Looks for the PMU and opens what is not open yet. AMD's dies share the counter of their package.
 * 0, or -ENOENT with the reason in s->why; of a captured tree, what would be opened is in *p.
 */
int power_look(struct source *s, struct power *p, bool amd) MUST_CHECK;
void power_read(struct power *p);	/* a system call for each package */
void power_end(struct power *p);

const char *power_zone(const struct pmu_slot *slot);	/* powercap's name of it: "dram" */

/* 2^-32 J, the unit of the PMU, as microjoules: exact but for the fraction, never too large. */
static inline uint64_t power_uj(uint64_t count)
{
	return (count >> 32) * 1000000 + ((count & UINT32_MAX) * 1000000 >> 32);
}
