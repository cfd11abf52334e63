/* SPDX-License-Identifier: BSD-3-Clause */
/* bdw.c - Intel Broadwell */
#include "collectors/pmu/intel.h"

/* Control registers of boxes as upstream wrote them: see snb.c. */
static const struct pmu_unit units[] = {
	{ .type = "intel_hsw", .libpfm = "bdw_ep", HASWELL_CORE },
	{ .type = "intel_hsw_ht", .libpfm = "bdw_ep", E5_CORE_HT },
	{ .type = "intel_bdw_cbo", .libpfm = "bdx_unc_cbo0", HASWELL_CBO },
	{ .type = "intel_bdw_hau", .libpfm = "bdx_unc_ha0", E5_HAU },
	{ .type = "intel_bdw_imc", .libpfm = "bdx_unc_imc0", E5_IMC },
	{ .type = "intel_bdw_qpi", .libpfm = "bdx_unc_qpi0", E5_QPI },
	{ .type = "intel_bdw_r2pci", .libpfm = "bdx_unc_r2pcie", E5_R2PCI },
	{ .type = "intel_bdw_pcu", .libpfm = "bdx_unc_pcu", E5_PCU },
};

const struct pmu_processor pmu_bdw = {
	.name = "Intel Broadwell", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x3d, 0x3d }, { 0x47, 0x47 }, { 0x4f, 0x4f }, { 0x56, 0x56 } },
	PMU_UNITS(units),
};
