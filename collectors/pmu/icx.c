/* SPDX-License-Identifier: BSD-3-Clause */
/* icx.c - Intel Ice Lake servers */
#include "collectors/pmu/intel.h"

static const struct pmu_unit units[] = {
	{ .type = "intel_8pmc3", .libpfm = "icx", SKYLAKE_CORE },
	{ .type = "intel_4pmc3", .libpfm = "icx", SKYLAKE_CORE_HT },
	{
		.type = "intel_x86_uncore_imc_icx", .pmu = "uncore_imc", .libpfm = "icx_unc_imc0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_M_CAS_COUNT:RD", 0, 0xf04 },
			{ "UNC_M_CAS_COUNT:WR", 0, 0x3004 },
		},
	},
};

const struct pmu_processor pmu_icx = {
	.name = "Intel Ice Lake", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x6a, 0x6a, 32 }, { 0x6c, 0x6c } },
	PMU_UNITS(units),
};
