/* SPDX-License-Identifier: BSD-3-Clause */
/* hsw.c - Intel Haswell */
#include "collectors/pmu/intel.h"

/* For the control registers of boxes see snb.c. */
static const struct pmu_unit units[] = {
	{ .type = "intel_hsw", .libpfm = "hsw_ep", HASWELL_CORE },
	{ .type = "intel_hsw_ht", .libpfm = "hsw_ep", E5_CORE_HT },
	{ .type = "intel_hsw_cbo", .libpfm = "hswep_unc_cbo0", HASWELL_CBO },
	{ .type = "intel_hsw_hau", .libpfm = "hswep_unc_ha0", E5_HAU },
	{ .type = "intel_hsw_imc", .libpfm = "hswep_unc_imc0", E5_IMC },
	{ .type = "intel_hsw_qpi", .libpfm = "hswep_unc_qpi0", E5_QPI },
	{ .type = "intel_hsw_r2pci", .libpfm = "hswep_unc_r2pcie", E5_R2PCI },
	{ .type = "intel_hsw_pcu", .libpfm = "hswep_unc_pcu", E5_PCU },
};

const struct pmu_processor pmu_hsw = {
	.name = "Intel Haswell", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x3c, 0x3c, 16 }, { 0x3f, 0x3f, 16 },
		    { 0x45, 0x45, 16 }, { 0x46, 0x46, 16 } },
	.lends_half = true,
	PMU_UNITS(units),
};
