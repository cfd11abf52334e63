/* SPDX-License-Identifier: BSD-3-Clause */
/* wsm.c - Intel Westmere */
#include "collectors/pmu/intel.h"

/*
 * The event codes are those of Nehalem; some have other names in wsm_dp, libpfm4's PMU for two
 * sockets.
 */
static const struct pmu_unit units[] = {
	{
		.type = "intel_nhm", .pmu = "cpu", .libpfm = "wsm_dp",
		.scope = PMU_PER_CPU,
		.event = {
			{ "MEM_UNCORE_RETIRED:REMOTE_DRAM",    0x43100f, 0x100f },
			{ "MEM_UNCORE_RETIRED:OTHER_LLC_MISS", 0x43200f, 0x200f },
			{ "FP_COMP_OPS_EXE:SSE_FP_PACKED",     0x431010, 0x1010 },
			{ "FP_COMP_OPS_EXE:SSE_FP_SCALAR",     0x432010, 0x2010 },
		},
		INTEL_FIXED,
	},
	{ .type = "intel_uncore", .libpfm = "wsm_unc", NEHALEM_UNCORE },
};

const struct pmu_processor pmu_wsm = {
	.name = "Intel Westmere", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x25, 0x25, 4 }, { 0x2c, 0x2c, 4 }, { 0x2f, 0x2f, 4 } },
	PMU_UNITS(units),
};
