/* SPDX-License-Identifier: BSD-3-Clause */
/* zen2.c - AMD family 17h, Zen 2: Rome */
#include "collectors/pmu/zen.h"

/*
 * CTL0 shows umask FFh, although this core does not define all of its bits: readers recognise FLOPS
 * by this value. Slot 1 is empty: in hpcperfstats, CTL1 controls the second half of the wide FLOPS
 * counter, which the kernel programs by itself.
 */
static const struct pmu_unit units[] = {
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "amd64_fam17h_zen2",
		.scope = PMU_PER_CPU,
		.event = {
			{ "RETIRED_SSE_AVX_FLOPS:ANY",                   0x43ff03, 0xf03 },
			{ NULL },
			{ "RETIRED_BRANCH_INSTRUCTIONS",                 0x4300c2, 0xc2 },
			{ "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED",    0x4300c3, 0xc3 },
			{ "DISPATCH_RESOURCE_STALL_CYCLES_0:ALU_TOKEN_STALL",
			  0x4308af, 0x8af },
			{ "DISPATCH_RESOURCE_STALL_CYCLES_1:INT_PHY_REG_FILE_RSRC_STALL"
			  ":LOAD_QUEUE_RSRC_STALL:STORE_QUEUE_RSRC_STALL"
			  ":INT_SCHEDULER_MISC_RSRC_STALL:TAKEN_BRANCH_BUFFER_RSRC_STALL"
			  ":FP_REG_FILE_RSRC_STALL:FP_SCHEDULER_FILE_RSRC_STALL"
			  ":FP_MISC_FILE_RSRC_STALL",
			  0x43ffae, 0xffae },
		},
		ZEN_FIXED,
	},
	{ .type = "amd64_df", .libpfm = "", ZEN_DF },
};

const struct pmu_processor pmu_zen2 = {
	.name = "AMD Zen 2", .vendor = PMU_AMD, .family = 0x17,
	.models = { { 0x30, 0xff, 16 } },
	PMU_UNITS(units),
};
