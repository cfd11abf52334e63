/* SPDX-License-Identifier: BSD-3-Clause */
/* knl.c - Intel Knights Landing and Knights Mill */
#include "collectors/pmu/intel.h"

/*
 * The eclk boxes, which hpcperfstats has in type intel_knl_edc, have a type of their own: they
 * count one event fewer, so their rows would be incomplete. Each insertion into a queue of the eclk
 * boxes is a read or write of 64 bytes of MCDRAM.
 */
static const struct pmu_unit units[] = {
	{
		.type = "intel_knl", .pmu = "cpu", .libpfm = "knl",
		.scope = PMU_PER_CPU,
		.event = {
			{ "MEM_UOPS_RETIRED:ALL_LOADS",    0x434004, 0x4004 },
			{ "MEM_UOPS_RETIRED:L2_HIT_LOADS", 0x430204, 0x204 },
		},
		INTEL_FIXED,
	},
	{
		.type = "intel_knl_mc", .pmu = "uncore_imc", .libpfm = "knl_unc_imc0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_M_CAS_COUNT:RD", 0x400103, 0x103 },
			{ "UNC_M_CAS_COUNT:WR", 0x400203, 0x203 },
			{ "UNC_M_D_CLOCKTICKS", 0x400000, 0 },
		},
	},
	{
		.type = "intel_knl_edc", .pmu = "uncore_edc_uclk", .libpfm = "knl_unc_edc_uclk0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_E_EDC_ACCESS:HIT_CLEAN",  0x400102, 0x102 },
			{ "UNC_E_EDC_ACCESS:HIT_DIRTY",  0x400202, 0x202 },
			{ "UNC_E_EDC_ACCESS:MISS_CLEAN", 0x400402, 0x402 },
			{ "UNC_E_EDC_ACCESS:MISS_DIRTY", 0x400802, 0x802 },
		},
	},
	{
		.type = "intel_knl_edc_eclk", .pmu = "uncore_edc_eclk",
		.libpfm = "knl_unc_edc_eclk0", .scope = PMU_PER_BOX,
		.event = {
			{ "UNC_E_RPQ_INSERTS",  0x400101, 0x101 },
			{ "UNC_E_WPQ_INSERTS",  0x400102, 0x102 },
			{ "UNC_E_E_CLOCKTICKS", 0x400000, 0 },
		},
	},
};

const struct pmu_processor pmu_knl = {
	.name = "Intel Knights Landing", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x57, 0x57, 32 }, { 0x85, 0x85 } },
	PMU_UNITS(units),
};
