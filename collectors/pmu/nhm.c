/* SPDX-License-Identifier: BSD-3-Clause */
/* nhm.c - Intel Nehalem */
#include "collectors/pmu/intel.h"

/*
 * On Nehalem, scalar floating point operations are event 10h, umask 20h. hpcperfstats has used
 * umask 80h since 2016, which is Sandy Bridge's.
 */
static const struct pmu_unit units[] = {
	{
		.type = "intel_nhm", .pmu = "cpu", .libpfm = "nhm",
		.scope = PMU_PER_CPU,
		.event = {
			{ "MEM_UNCORE_RETIRED:REMOTE_DRAM", 0x43100f, 0x100f },
			{ "MEM_UNCORE_RETIRED:LOCAL_DRAM",  0x43200f, 0x200f },
			{ "FP_COMP_OPS_EXE:SSE_FP_PACKED",  0x431010, 0x1010 },
			{ "FP_COMP_OPS_EXE:SSE_FP_SCALAR",  0x432010, 0x2010 },
		},
		INTEL_FIXED,
	},
	{ .type = "intel_uncore", .libpfm = "nhm_unc", NEHALEM_UNCORE },
};

const struct pmu_processor pmu_nhm = {
	.name = "Intel Nehalem", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x1a, 0x1a, 4 }, { 0x1e, 0x1e, 4 }, { 0x1f, 0x1f, 4 }, { 0x2e, 0x2e, 4 } },
	PMU_UNITS(units),
};
