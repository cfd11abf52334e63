/* SPDX-License-Identifier: BSD-3-Clause */
/* group.h - open the counters of a type in groups, one group per device */
#pragma once

#include "collectors/pmu/pmu.h"

/* Counters of one device that run at the same time, in the order in which they are read. */
struct pmu_group {
	char device[24];
	char pmu[40];	/* the kernel's name of the PMU or box, such as "uncore_imc_3" */
	int cpu;			/* CPU on which the events are opened */
	int package;	/* package that the box is in; -1 for the counters of a CPU */
	unsigned n;
	bool open;
	/* leave out events that do not fit, with .fd -1; see struct pmu_unit */
	bool as_fits;
	unsigned n_open;		/* number of open slots */
	bool reopened;			/* the group was opened after its last row was written */
	/* the group's times at the last reading, in ns, see perf_event_open(2) */
	uint64_t enabled, running;
	struct pmu_slot {
		const struct pmu_event *event;
		uint32_t type;			/* kernel's number of the PMU */
		signed char ctl, ctr;		/* indices of the keys CTLn (-1: none) and CTRn */
		int fd;
	} slot[PMU_GROUP];
};

struct pmu_plan {
	bool seen;			/* the processor was identified: .id and .threads are set */
	bool threads;	/* hyper-threading is on, so the threads of a core share its counters */
	struct pmu_cpuid id;		/* the processor; vendor PMU_ANY if unknown */
	size_t n, cap;
	struct pmu_group *group;
};

/*
 * Open a group: either all events or none; with .as_fits, as many events as fit. Returns 0, or
 * -errno of perf_open().
 */
int pmu_open_group(struct pmu_group *g) MUST_CHECK;
void pmu_close_group(struct pmu_group *g);

/*
 * Find out how many events of a closed group can be open together, starting with the first slot.
 * Returns the number, or -errno.
 */
int pmu_try_group(const struct pmu_group *g) MUST_CHECK;
