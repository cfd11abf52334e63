/* SPDX-License-Identifier: BSD-3-Clause */
/* software.c - events that the kernel counts by itself, on any processor (enum perf_sw_ids) */
#include "collectors/pmu/pmu.h"

static const struct pmu_unit units[] = { {
	.type = "perf_sw", .pmu = "software", .libpfm = "perf", .scope = PMU_PER_CPU,
	.event = {
		{ "PERF_COUNT_SW_CPU_CLOCK",        0, 0 },
		{ "PERF_COUNT_SW_TASK_CLOCK",       0, 1 },
		{ "PERF_COUNT_SW_CONTEXT_SWITCHES", 0, 3 },
		{ "PERF_COUNT_SW_CPU_MIGRATIONS",   0, 4 },
		{ "PERF_COUNT_SW_PAGE_FAULTS",      0, 2 },
		{ "PERF_COUNT_SW_PAGE_FAULTS_MAJ",  0, 6 },
		{ "", 0, 0, .pmu = "msr", .alias = "tsc" },
	},
} };

const struct pmu_processor pmu_software = {
	.name = "any processor", .vendor = PMU_ANY,
	PMU_UNITS(units),
};
