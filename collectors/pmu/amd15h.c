/* SPDX-License-Identifier: BSD-3-Clause */
/* amd15h.c - AMD family 15h: Interlagos, Abu Dhabi */
#include "collectors/pmu/pmu.h"

/* The keys and events are nodometer's own, because tacc_stats did not support this family. */
static const struct pmu_unit units[] = {
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "amd64_fam15h_interlagos",
		.scope = PMU_PER_CPU,
		.event = {
			{ "RETIRED_SSE_OPS:ALL",  0x43ff03, 0xff03 },
			{ "CPU_CLK_UNHALTED",     0x430076, 0x76 },
			{ "RETIRED_INSTRUCTIONS", 0x4300c0, 0xc0 },
		},
	},
	{
		.type = "amd64_nb", .pmu = "amd_nb", .libpfm = "amd64_fam15h_nb",
		.scope = PMU_BY_CPU,
		.event = {
			{ "DRAM_ACCESSES:ALL", 0, 0x3fe0 },
		},
	},
};

const struct pmu_processor pmu_amd15h = {
	.name = "AMD 15h", .vendor = PMU_AMD, .family = 0x15,
	.models = { { 0x00, 0xff } },
	PMU_UNITS(units),
};
