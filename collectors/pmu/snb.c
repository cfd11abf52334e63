/* SPDX-License-Identifier: BSD-3-Clause */
/* snb.c - Intel Sandy Bridge */
#include "collectors/pmu/intel.h"

/*
 * The keys CTLn show the values in the archives of hpcperfstats: control registers of boxes include
 * threshold 1 (bit 24), which perf does not use, and the PCU has codes 0x81 and 0x82, which no
 * manual describes.
 */
static const struct pmu_unit units[] = {
	{ .type = "intel_snb", .libpfm = "snb_ep", SANDY_BRIDGE_CORE },
	{ .type = "intel_snb", .libpfm = "snb_ep", E5_CORE_HT },
	{
		.type = "intel_snb_cbo", .pmu = "uncore_cbox", .libpfm = "snbep_unc_cbo0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_C_LLC_LOOKUP:DATA_READ", 0x1400334, 0x334, 0x7c0000 },
			{ "UNC_C_LLC_LOOKUP:WRITE",     0x1400534, 0x534, 0x7c0000 },
			{ "UNC_C_RING_IV_USED:ANY",     0x1400f1e, 0xf1e },
			{ "UNC_C_COUNTER0_OCCUPANCY",   0x140001f, 0x1f },
		},
	},
	{ .type = "intel_snb_hau", .libpfm = "snbep_unc_ha", E5_HAU },
	{
		.type = "intel_snb_imc", .pmu = "uncore_imc", .libpfm = "snbep_unc_imc0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_M_CAS_COUNT:RD",        0x1400304, 0x304 },
			{ "UNC_M_CAS_COUNT:WR",        0x1400c04, 0xc04 },
			{ "UNC_M_ACT_COUNT",           0x1400001, 0x1 },
			{ "UNC_M_PRE_COUNT:PAGE_MISS", 0x1400102, 0x102 },
		},
		.fixed = {
			{ "UNC_M_CLOCKTICKS", 0, 0xff },
		},
	},
	{ .type = "intel_snb_qpi", .libpfm = "snbep_unc_qpi0", E5_QPI },
	{
		.type = "intel_snb_r2pci", .pmu = "uncore_r2pcie", .libpfm = "snbep_unc_r2pcie",
		.scope = PMU_PER_BOX,
		.event = {
			{ "",                        0x1400424, 0x424 },
			{ "UNC_R2_RING_BL_USED:ANY", 0x1400f09, 0xf09 },
			{ "UNC_R2_RING_AD_USED:ANY", 0x1400f07, 0xf07 },
			{ "UNC_R2_RING_AK_USED:ANY", 0x1400f08, 0xf08 },
		},
	},
	{ .type = "intel_snb_pcu", .libpfm = "snbep_unc_pcu", E5_PCU },
};

const struct pmu_processor pmu_snb = {
	.name = "Intel Sandy Bridge", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x2a, 0x2a, 8 }, { 0x2d, 0x2d, 8 } },
	.lends_half = true,
	PMU_UNITS(units),
};
