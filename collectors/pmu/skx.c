/* SPDX-License-Identifier: BSD-3-Clause */
/* skx.c - Intel Skylake and Cascade Lake servers */
#include "collectors/pmu/intel.h"

static const struct pmu_unit units[] = {
	{ .type = "intel_8pmc3", .libpfm = "skx", SKYLAKE_CORE },
	{ .type = "intel_4pmc3", .libpfm = "skx", SKYLAKE_CORE_HT },
	{
		.type = "intel_skx_imc", .pmu = "uncore_imc", .libpfm = "skx_unc_imc0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_M_CAS_COUNT:RD",        0x400304, 0x304 },
			{ "UNC_M_CAS_COUNT:WR",        0x400c04, 0xc04 },
			{ "UNC_M_ACT_COUNT:RD:WR:BYP", 0x400b01, 0xb01 },
			{ "UNC_M_PRE_COUNT:PAGE_MISS", 0x400102, 0x102 },
		},
	},
	{
		.type = "intel_skx_cha", .pmu = "uncore_cha", .libpfm = "skx_unc_cha0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_C_SF_EVICTION:M_STATE:E_STATE:S_STATE",
			  0x40073d, 0x73d },
			{ "UNC_C_LLC_LOOKUP:DATA_READ:LOCAL",
			  0x403334, 0x3334, 0xfe0000 },
			{ "UNC_C_BYPASS_CHA_IMC:TAKEN:INTERMEDIATE:NOT_TAKEN",
			  0x400757, 0x757 },
			{ "UNC_C_LLC_LOOKUP:WRITE",
			  0x400534, 0x534, 0xfe0000 },
		},
	},
};

const struct pmu_processor pmu_skx = {
	.name = "Intel Skylake", .vendor = PMU_INTEL, .family = 6,
	/*
	 * .flop_cycle is unknown, because a core has one or two 512-bit units, depending on the
	 * model name
	 */
	.models = { { 0x55, 0x55 } },
	PMU_UNITS(units),
};
