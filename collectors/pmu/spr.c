/* SPDX-License-Identifier: BSD-3-Clause */
/* spr.c - Intel Sapphire Rapids and Emerald Rapids */
#include "collectors/pmu/pmu.h"

/* HBM: Xeon Max, since Linux 6.11; its CAS moves 32 bytes, not 64. */
static const struct pmu_unit units[] = {
	{
		.type = "intel_8pmc3", .pmu = "cpu", .libpfm = "spr",
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
		.type = "intel_4pmc3", .pmu = "cpu", .libpfm = "spr",
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
	.models = { { 0x8f, 0x8f }, { 0xcf, 0xcf } },
	PMU_UNITS(units),
};
