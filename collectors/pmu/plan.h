/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - which counters a type needs on this node: one group per device */
#pragma once

#include "collectors/pmu/pmu.h"

/* Counters of one device that count over the same time, in the order in which they are read. */
struct pmu_group {
	char device[24];
	char pmu[40];			/* of the kernel, with its number */
	int cpu;			/* that they are opened on */
	int package;			/* that they count in; of a CPU's: not looked for, -1 */
	unsigned n;
	bool open;
	bool as_fits;			/* see struct pmu_unit: a slot may stay closed, fd -1 */
	unsigned n_open;		/* slots that are not */
	bool anew;			/* opened, and no row of it since */
	uint64_t enabled, running;	/* as of the last read, ns */
	struct pmu_slot {
		const struct pmu_event *event;
		uint32_t type;			/* number of its PMU */
		signed char ctl, ctr;		/* its keys */
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
 * Adds a group for each device of the type that this node has, none of them open. The processor is
 * looked at once, CPUs and PMUs every time. 0, or -ENOENT with the reason in s->why.
 */
int pmu_make_plan(struct source *s, struct pmu_plan *p) MUST_CHECK;

/*
 * Opens a group that is closed, all of it or, but for .as_fits, nothing. 0, or -errno as
 * perf_open() has it.
 */
int pmu_open_group(struct pmu_group *g) MUST_CHECK;
void pmu_close_group(struct pmu_group *g);
