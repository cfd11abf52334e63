/* SPDX-License-Identifier: BSD-3-Clause */
/* generic.c - events that the kernel names alike on all processors (enum perf_hw_id) */
#include "collectors/pmu/pmu.h"

/* The most important events come first, because a core may have too few counters for all events. */
static const struct pmu_unit units[] = { {
	.type = "perf_hw", .pmu = NULL, .libpfm = "perf", .scope = PMU_PER_CPU, .as_fits = true,
	.event = {
		{ "PERF_COUNT_HW_INSTRUCTIONS",            0, 1 },
		{ "PERF_COUNT_HW_CPU_CYCLES",              0, 0 },
		{ "PERF_COUNT_HW_CACHE_REFERENCES",        0, 2 },
		{ "PERF_COUNT_HW_CACHE_MISSES",            0, 3 },
		{ "PERF_COUNT_HW_BRANCH_INSTRUCTIONS",     0, 4 },
		{ "PERF_COUNT_HW_BRANCH_MISSES",           0, 5 },
	},
	.fixed = {
		{ "PERF_COUNT_HW_REF_CPU_CYCLES",          0, 9 },
		{ "PERF_COUNT_HW_STALLED_CYCLES_BACKEND",  0, 8 },
		{ "PERF_COUNT_HW_STALLED_CYCLES_FRONTEND", 0, 7 },
	},
} };

const struct pmu_processor pmu_generic = {
	.name = "a processor without a table here", .vendor = PMU_OTHERS,
	PMU_UNITS(units),
};
