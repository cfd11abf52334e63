/* SPDX-License-Identifier: BSD-3-Clause */
/* icx.c - Intel Ice Lake servers */
#include "collectors/pmu/skylake_core.h"

static const struct pmu_unit units[] = {
	SKYLAKE_CORE("icx"),
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
	.models = { { 0x6a, 0x6a }, { 0x6c, 0x6c } },
	PMU_UNITS(units),
};
