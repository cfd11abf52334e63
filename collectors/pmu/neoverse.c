/* SPDX-License-Identifier: BSD-3-Clause */
/* neoverse.c - ARM Neoverse N1 to N3, V1 to V3 */
#include "collectors/pmu/pmu.h"

/* Events of the architecture, the same on all models (Arm ARM, D13 "common events"). */
static const struct pmu_unit units[] = {
	{
		.type = "arm_neoverse", .pmu = "armv8_", .libpfm = "arm_n1",
		.scope = PMU_PER_CPU,
		.event = {
			{ "INST_RETIRED",     0, 0x8 },
			{ "L1D_CACHE_REFILL", 0, 0x3 },
			{ "L2D_CACHE_REFILL", 0, 0x17 },
			{ "LL_CACHE_MISS_RD", 0, 0x37 },
			{ "VFP_SPEC",         0, 0x75 },
			{ "ASE_SPEC",         0, 0x74 },
		},
		.fixed = {
			{ "CPU_CYCLES", 0, 0x11 },
		},
	},
};

const struct pmu_processor pmu_neoverse = {
	.name = "ARM Neoverse", .vendor = PMU_ARM, .family = 0x41,
	.models = { { 0xd0c, 0xd0c, 8 }, { 0xd40, 0xd40, 16 }, { 0xd49, 0xd49, 8 },
		    { 0xd4f, 0xd4f, 16 }, { 0xd83, 0xd84 }, { 0xd8e, 0xd8e } },
	PMU_UNITS(units),
};
