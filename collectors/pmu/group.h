/* SPDX-License-Identifier: BSD-3-Clause */
/* group.h - groups of counters of one device, and the plan of all groups of a type */
#pragma once

#include "collectors/pmu/pmu.h"

/* Counters of one device that are enabled together, in the order of reading. */
struct pmu_group {
	char device[24];
	char pmu[40];	/* the kernel's name of the PMU, with the number of the box */
	int cpu;			/* CPU on which the events are opened */
	int package;			/* package of a box; -1 if the counters are of a CPU */
	unsigned n;
	bool open;
	/* a slot whose event does not fit stays closed, with fd -1; see struct pmu_unit */
	bool as_fits;
	unsigned n_open;		/* number of open slots */
	bool reopened;			/* the group was opened after the last row was written */
	uint64_t enabled, running;	/* times at the last read, in ns */
	struct pmu_slot {
		const struct pmu_event *event;
		uint32_t type;			/* kernel's number of the PMU */
		signed char ctl, ctr;		/* indices of the keys CTLn and CTRn */
		int fd;
	} slot[PMU_GROUP];
};

struct pmu_plan {
	bool seen;			/* .id and .threads are set */
	bool threads;	/* hyper-threading: the threads of a core share its counters */
	struct pmu_cpuid id;		/* the processor; vendor PMU_ANY if unknown */
	size_t n, cap;
	struct pmu_group *group;
};

/*
 * Open a closed group. Either all events are opened or none, unless .as_fits is set. Returns 0, or
 * -errno of perf_open().
 */
int pmu_open_group(struct pmu_group *g) MUST_CHECK;
void pmu_close_group(struct pmu_group *g);

/*
 * Count how many counters of the closed group the kernel accepts together, in the order of the
 * slots. Returns the number, or -errno.
 */
int pmu_try_group(const struct pmu_group *g) MUST_CHECK;
