/* SPDX-License-Identifier: BSD-3-Clause */
/* bdw.c - Intel Broadwell */
#include "collectors/pmu/intel.h"

/*
 * The core has Haswell's types and slots, but some slots count floating point instructions: without
 * hyper-threading, instead of L1 and L2 fills and TLB walks; with it, instead of cache hits. For
 * the control registers of boxes see snb.c.
 */
static const struct pmu_unit units[] = {
	{
		.type = "intel_hsw", .pmu = "cpu", .libpfm = "bdw_ep",
		.scope = PMU_PER_CPU, .threads = PMU_NO_HT,
		.event = {
			{ "MEM_UOPS_RETIRED:ALL_LOADS",                 0x4381d0, 0x81d0 },
			{ "MEM_LOAD_UOPS_RETIRED:L1_HIT",               0x4301d1, 0x1d1 },
			{ "MEM_LOAD_UOPS_RETIRED:L2_HIT",               0x4302d1, 0x2d1 },
			{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",        0x4301c7, 0x1c7 },
			{ "MEM_LOAD_UOPS_RETIRED:L3_HIT",               0x4304d1, 0x4d1 },
			{ "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE",   0x4304c7, 0x4c7 },
			{ "RESOURCE_STALLS:ANY",                        0x4301a2, 0x1a2 },
			{ "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE",   0x4310c7, 0x10c7 },
		},
		INTEL_FIXED
	},
	{
		.type = "intel_hsw_ht", .pmu = "cpu", .libpfm = "bdw_ep",
		.scope = PMU_PER_CPU, .threads = PMU_HT,
		.event = {
			{ "MEM_UOPS_RETIRED:ALL_LOADS",                 0x4381d0, 0x81d0 },
			{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",        0x4301c7, 0x1c7 },
			{ "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE",   0x4304c7, 0x4c7 },
			{ "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE",   0x4310c7, 0x10c7 },
		},
		INTEL_FIXED
	},
	{ .type = "intel_bdw_cbo", .libpfm = "bdx_unc_cbo0", HASWELL_CBO },
	{ .type = "intel_bdw_hau", .libpfm = "bdx_unc_ha0", E5_HAU },
	{ .type = "intel_bdw_imc", .libpfm = "bdx_unc_imc0", E5_IMC },
	{ .type = "intel_bdw_qpi", .libpfm = "bdx_unc_qpi0", E5_QPI },
	{ .type = "intel_bdw_r2pci", .libpfm = "bdx_unc_r2pcie", E5_R2PCI },
	{ .type = "intel_bdw_pcu", .libpfm = "bdx_unc_pcu", E5_PCU },
};

const struct pmu_processor pmu_bdw = {
	.name = "Intel Broadwell", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x3d, 0x3d, 16 }, { 0x47, 0x47, 16 },
		    { 0x4f, 0x4f, 16 }, { 0x56, 0x56, 16 } },
	PMU_UNITS(units),
};
