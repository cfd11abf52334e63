/* SPDX-License-Identifier: BSD-3-Clause */
/* ivb.c - Intel Ivy Bridge */
#include "collectors/pmu/intel.h"

/* For the control registers of boxes see snb.c. */
static const struct pmu_unit units[] = {
	{ .type = "intel_snb", .libpfm = "ivb_ep", SANDY_BRIDGE_CORE },
	{ .type = "intel_snb", .libpfm = "ivb_ep", E5_CORE_HT },
	{
		.type = "intel_ivb_cbo", .pmu = "uncore_cbox", .libpfm = "ivbep_unc_cbo0",
		.scope = PMU_PER_BOX,
		.event = {
			{ "UNC_C_LLC_LOOKUP:DATA_READ", 0x1400334, 0x334, 0x7e0000 },
			{ "UNC_C_LLC_LOOKUP:WRITE",     0x1400534, 0x534, 0x7e0000 },
			{ "UNC_C_RING_IV_USED:ANY",     0x1400f1e, 0xf1e },
			{ "UNC_C_COUNTER0_OCCUPANCY",   0x140001f, 0x1f },
		},
	},
	{ .type = "intel_ivb_hau", .libpfm = "ivbep_unc_ha0", E5_HAU },
	{ .type = "intel_ivb_imc", .libpfm = "ivbep_unc_imc0", E5_IMC },
	{ .type = "intel_ivb_qpi", .libpfm = "ivbep_unc_qpi0", E5_QPI },
	{ .type = "intel_ivb_r2pci", .libpfm = "ivbep_unc_r2pcie", E5_R2PCI },
	{ .type = "intel_ivb_pcu", .libpfm = "ivbep_unc_pcu", E5_PCU },
};

const struct pmu_processor pmu_ivb = {
	.name = "Intel Ivy Bridge", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x3a, 0x3a, 8 }, { 0x3e, 0x3e, 8 } },
	.lends_half = true,
	PMU_UNITS(units),
};
