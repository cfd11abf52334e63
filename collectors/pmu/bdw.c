/* SPDX-License-Identifier: BSD-3-Clause */
/* bdw.c - Intel Broadwell */
#include "collectors/pmu/pmu.h"

/* Control registers of boxes as upstream wrote them: see snb.c. */
static const struct pmu_unit units[] = {
	{
		.type = "intel_hsw", .pmu = "cpu", .libpfm = "bdw_ep",
		.scope = PMU_PER_CPU, .threads = PMU_NO_HT,
		.event = {
			{ "MEM_UOPS_RETIRED:ALL_LOADS",          0x4381d0, 0x81d0 },
			{ "MEM_LOAD_UOPS_RETIRED:L1_HIT",        0x4301d1, 0x1d1 },
			{ "MEM_LOAD_UOPS_RETIRED:L2_HIT",        0x4302d1, 0x2d1 },
			{ "L1D:REPLACEMENT",                     0x430151, 0x151 },
			{ "MEM_LOAD_UOPS_RETIRED:L3_HIT",        0x4304d1, 0x4d1 },
			{ "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", 0x430108, 0x108 },
			{ "RESOURCE_STALLS:ANY",                 0x4301a2, 0x1a2 },
			{ "L2_LINES_IN:ALL",                     0x4307f1, 0x7f1 },
		},
		.fixed = {
			{ "INSTRUCTION_RETIRED",       0, 0xc0 },
			{ "UNHALTED_CORE_CYCLES",      0, 0x3c },
			{ "UNHALTED_REFERENCE_CYCLES", 0, 0x300 },
		},
	},
	{
		.type = "intel_hsw_ht", .pmu = "cpu", .libpfm = "bdw_ep",
		.scope = PMU_PER_CPU, .threads = PMU_HT,
		.event = {
			{ "MEM_UOPS_RETIRED:ALL_LOADS",   0x4381d0, 0x81d0 },
			{ "MEM_LOAD_UOPS_RETIRED:L1_HIT", 0x4301d1, 0x1d1 },
			{ "MEM_LOAD_UOPS_RETIRED:L2_HIT", 0x4302d1, 0x2d1 },
			{ "MEM_LOAD_UOPS_RETIRED:L3_HIT", 0x4304d1, 0x4d1 },
		},
		.fixed = {
			{ "INSTRUCTION_RETIRED",       0, 0xc0 },
			{ "UNHALTED_CORE_CYCLES",      0, 0x3c },
			{ "UNHALTED_REFERENCE_CYCLES", 0, 0x300 },
		},
	},
	{
		.type = "intel_bdw_cbo", .pmu = "uncore_cbox", .libpfm = "bdx_unc_cbo0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_C_RXR_OCCUPANCY:IRQ",    0x1400111, 0x111 },
			{ "UNC_C_LLC_LOOKUP:DATA_READ", 0x1400334, 0x334, 0xfe0000 },
			{ "UNC_C_RING_IV_USED:ANY",     0x1400f1e, 0xf1e },
			{ "UNC_C_LLC_LOOKUP:WRITE",     0x1400534, 0x534, 0xfe0000 },
		},
	},
	{
		.type = "intel_bdw_hau", .pmu = "uncore_ha", .libpfm = "bdx_unc_ha0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_H_REQUESTS:READS",  0x1400301, 0x301 },
			{ "UNC_H_REQUESTS:WRITES", 0x1400c01, 0xc01 },
			{ "UNC_H_CLOCKTICKS",      0x1400000, 0 },
			{ "UNC_H_IMC_WRITES:ALL",  0x1400f1a, 0xf1a },
		},
	},
	{
		.type = "intel_bdw_imc", .pmu = "uncore_imc", .libpfm = "bdx_unc_imc0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_M_CAS_COUNT:RD",        0x1400304, 0x304 },
			{ "UNC_M_CAS_COUNT:WR",        0x1400c04, 0xc04 },
			{ "UNC_M_ACT_COUNT:RD:WR:BYP", 0x1400b01, 0xb01 },
			{ "UNC_M_PRE_COUNT:PAGE_MISS", 0x1400102, 0x102 },
		},
		.fixed = {
			{ "UNC_M_CLOCKTICKS", 0, 0xff },
		},
	},
	{
		.type = "intel_bdw_qpi", .pmu = "uncore_qpi", .libpfm = "bdx_unc_qpi0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_Q_TXL_FLITS_G1:SNP",        0x600100, 0x200100 },
			{ "UNC_Q_TXL_FLITS_G1:HOM_NONREQ", 0x600400, 0x200400 },
			{ "UNC_Q_RXL_FLITS_G1:DRS_DATA",   0x600802, 0x200802 },
			{ "UNC_Q_RXL_FLITS_G2:NCB_DATA",   0x600403, 0x200403 },
		},
	},
	{
		.type = "intel_bdw_r2pci", .pmu = "uncore_r2pcie", .libpfm = "bdx_unc_r2pcie",
		.scope = PMU_PER_BOX,
		.event = {
			{ "", 0x1400424, 0x424 },
			{ "", 0x1400f09, 0xf09 },
			{ "", 0x1400f07, 0xf07 },
			{ "", 0x1400f08, 0xf08 },
		},
	},
	{
		.type = "intel_bdw_pcu", .pmu = "uncore_pcu", .libpfm = "bdx_unc_pcu",
		.scope = PMU_PER_PACKAGE,
		.event = {
			{ "UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES", 0x1400004, 0x4 },
			{ "UNC_P_FREQ_MAX_POWER_CYCLES",         0x1400005, 0x5 },
			{ "",                                    0x1400081, 0x81 },
			{ "",                                    0x1400082, 0x82 },
		},
	},
};

const struct pmu_processor pmu_bdw = {
	.name = "Intel Broadwell", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x3d, 0x3d }, { 0x47, 0x47 }, { 0x4f, 0x4f }, { 0x56, 0x56 } },
	PMU_UNITS(units),
};
