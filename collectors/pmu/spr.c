/* SPDX-License-Identifier: BSD-3-Clause */
/* spr.c - Intel Sapphire Rapids and Emerald Rapids */
#include "collectors/pmu/intel.h"

/* Only Xeon Max has HBM (since Linux 6.11). A CAS command of HBM transfers 32 bytes, not 64. */
static const struct pmu_unit units[] = {
	{ .type = "intel_8pmc3", .libpfm = "spr", SKYLAKE_CORE },
	{ .type = "intel_4pmc3", .libpfm = "spr", SKYLAKE_CORE_HT },
	{
		.type = "intel_x86_uncore_imc_spr", .pmu = "uncore_imc", .libpfm = "spr_unc_imc0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_M_CAS_COUNT:RD", 0, 0xcf05 },
			{ "UNC_M_CAS_COUNT:WR", 0, 0xf005 },
		},
	},
	{
		.type = "intel_x86_uncore_hbm_spr", .pmu = "uncore_hbm", .libpfm = "",
		.scope = PMU_PER_BOX,
		.event = {
			{ "", 0, 0xcf05 },
			{ "", 0, 0xf005 },
		},
	},
};

const struct pmu_processor pmu_spr = {
	.name = "Intel Sapphire and Emerald Rapids", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x8f, 0x8f, 32 }, { 0xcf, 0xcf, 32 } },
	PMU_UNITS(units),
};
