/* SPDX-License-Identifier: BSD-3-Clause */
/* skx.c - Intel Skylake and Cascade Lake servers */
#include "collectors/pmu/pmu.h"

static const struct pmu_unit units[] = {
	{
		.type = "intel_8pmc3", .pmu = "cpu", .libpfm = "skx",
		.scope = PMU_PER_CPU, .threads = PMU_NO_HT,
		.event = {
			{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",      0x4301c7, 0x1c7 },
			{ "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", 0x4304c7, 0x4c7 },
			{ "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", 0x4310c7, 0x10c7 },
			{ "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", 0x4340c7, 0x40c7 },
			{ "FP_ARITH_INST_RETIRED:SCALAR_SINGLE",      0x4302c7, 0x2c7 },
			{ "FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE", 0x4308c7, 0x8c7 },
			{ "FP_ARITH_INST_RETIRED:256B_PACKED_SINGLE", 0x4320c7, 0x20c7 },
			{ "FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE", 0x4380c7, 0x80c7 },
		},
		.fixed = {
			{ "INSTRUCTION_RETIRED",       0, 0xc0 },
			{ "UNHALTED_CORE_CYCLES",      0, 0x3c },
			{ "UNHALTED_REFERENCE_CYCLES", 0, 0x300 },
		},
	},
	{
		.type = "intel_4pmc3", .pmu = "cpu", .libpfm = "skx",
		.scope = PMU_PER_CPU, .threads = PMU_HT,
		.event = {
			{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",      0x4301c7, 0x1c7 },
			{ "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", 0x4304c7, 0x4c7 },
			{ "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", 0x4310c7, 0x10c7 },
			{ "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", 0x4340c7, 0x40c7 },
		},
		.fixed = {
			{ "INSTRUCTION_RETIRED",       0, 0xc0 },
			{ "UNHALTED_CORE_CYCLES",      0, 0x3c },
			{ "UNHALTED_REFERENCE_CYCLES", 0, 0x300 },
		},
	},
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
	.models = { { 0x55, 0x55 } },
	PMU_UNITS(units),
};
