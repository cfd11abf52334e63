/* SPDX-License-Identifier: BSD-3-Clause */
/* group.h - counters of one device that are opened together, and all of a type on this node */
#pragma once

#include "collectors/pmu/pmu.h"

/* Counters of one device that count over the same time, in the order in which they are read. */
struct pmu_group {
	char device[24];
	char pmu[40];			/* of the kernel, with its number */
	int cpu;			/* to open the events on */
	int package;			/* the counters' own; of a CPU's: not looked for, -1 */
	unsigned n;
	bool open;
	bool as_fits;			/* see struct pmu_unit: a slot may stay closed, fd -1 */
	unsigned n_open;		/* slots that are not */
	bool reopened;			/* opened, and no row of it since */
	uint64_t enabled, running;	/* as of the last read, ns */
	struct pmu_slot {
		const struct pmu_event *event;
		uint32_t type;			/* number of its PMU */
		signed char ctl, ctr;		/* numbers of the keys */
		int fd;
	} slot[PMU_GROUP];
};

struct pmu_plan {
	bool seen;			/* .id and .threads were looked for */
	bool threads;			/* of a core, that share its counters */
	struct pmu_cpuid id;		/* vendor PMU_ANY: not known */
	size_t n, cap;
	struct pmu_group *group;
};

/*
 * Opens a group that is closed, all of it or, but for .as_fits, nothing. 0, or -errno as
 * perf_open() has it.
 */
int pmu_open_group(struct pmu_group *g) MUST_CHECK;
void pmu_close_group(struct pmu_group *g);

/* How many of its counters, from the first on, the kernel takes into a group; or -errno. */
int pmu_try_group(const struct pmu_group *g) MUST_CHECK;
