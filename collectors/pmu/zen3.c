/* SPDX-License-Identifier: BSD-3-Clause */
/* zen3.c - AMD family 19h, Zen 3: Milan */
#include "collectors/pmu/zen.h"

/*
 * CTL0 and CTL5 are the codes by which readers know FLOPS and stalls; this core defines fewer bits.
 * CTL1, upstream's second half of the wide counter of FLOPS, is the kernel's own affair.
 */
static const struct pmu_unit units[] = {
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "amd64_fam19h_zen3",
		.scope = PMU_PER_CPU,
		.event = {
			{ "RETIRED_SSE_AVX_FLOPS:ANY",                   0x43ff03, 0xf03 },
			{ NULL },
			{ "RETIRED_BRANCH_INSTRUCTIONS",                 0x4300c2, 0xc2 },
			{ "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED",    0x4300c3, 0xc3 },
			{ "DISPATCH_RESOURCE_STALL_CYCLES_2:INT_SCHEDULER_3_TOKEN_STALL",
			  0x4308af, 0x8af },
			{ "DISPATCH_RESOURCE_STALL_CYCLES_1:INT_PHY_REG_FILE_RSRC_STALL"
			  ":LOAD_QUEUE_RSRC_STALL:STORE_QUEUE_RSRC_STALL"
			  ":TAKEN_BRANCH_BUFFER_RSRC_STALL:FP_REG_FILE_RSRC_STALL"
			  ":FP_SCHEDULER_RSRC_STALL:FP_FLUSH_RECOVERY_STALL",
			  0x43ffae, 0xf7ae },
		},
		ZEN_FIXED,
	},
	{ .type = "amd64_df", .libpfm = "", ZEN_DF },
};

const struct pmu_processor pmu_zen3 = {
	.name = "AMD Zen 3", .vendor = PMU_AMD, .family = 0x19,
	.models = { { 0x00, 0x0f }, { 0x20, 0x5f } },
	PMU_UNITS(units),
};
