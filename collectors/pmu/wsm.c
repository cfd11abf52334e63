/* SPDX-License-Identifier: BSD-3-Clause */
/* wsm.c - Intel Westmere */
#include "collectors/pmu/intel.h"

/* The codes are Nehalem's; what they count with two sockets has the names of wsm_dp here. */
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
	{
		.type = "intel_uncore", .pmu = "uncore", .libpfm = "wsm_unc",
		.scope = PMU_BY_CPU,
		.event = {
			{ "UNC_LLC_HITS:READ",     0x400108, 0x108 },
			{ "UNC_LLC_HITS:WRITE",    0x400208, 0x208 },
			{ "UNC_LLC_HITS:PROBE",    0x400408, 0x408 },
			{ "UNC_LLC_MISS:READ",     0x400109, 0x109 },
			{ "UNC_LLC_MISS:WRITE",    0x400209, 0x209 },
			{ "UNC_LLC_MISS:PROBE",    0x400409, 0x409 },
			{ "UNC_LLC_LINES_IN:ANY",  0x400f0a, 0xf0a },
			{ "UNC_LLC_LINES_OUT:ANY", 0x401f0b, 0x1f0b },
		},
		.fixed = {
			{ "UNC_CLK_UNHALTED", 0, 0xff },
		},
	},
};

const struct pmu_processor pmu_wsm = {
	.name = "Intel Westmere", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0x25, 0x25 }, { 0x2c, 0x2c }, { 0x2f, 0x2f } },
	PMU_UNITS(units),
};
