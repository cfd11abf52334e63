/* SPDX-License-Identifier: BSD-3-Clause */
/* zen4.c - AMD family 19h, Zen 4: Genoa */
#include "collectors/pmu/zen.h"

/*
 * CTL0 and CTL5 are the codes by which readers know FLOPS and stalls; this core defines fewer bits.
 * CTL1, upstream's second half of the wide counter of FLOPS, is the kernel's own affair. DF: beats
 * of 64 bytes of channels 0 to 3. UMC, since Linux 6.8: CAS commands with rdwrmask 1 and 2.
 */
static const struct pmu_unit units[] = {
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "amd64_fam19h_zen4",
		.scope = PMU_PER_CPU,
		.event = {
			{ "RETIRED_SSE_AVX_FLOPS:ANY",                   0x43ff03, 0x1f03 },
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
	{
		.type = "amd64_df", .pmu = "amd_df", .libpfm = "",
		.scope = PMU_BY_CPU,
		.event = {
			{ "", 0x740fe1f, 0x700fe1f },
			{ "", 0x740fe5f, 0x700fe5f },
			{ "", 0x740fe9f, 0x700fe9f },
			{ "", 0x740fedf, 0x700fedf },
		},
	},
	{
		.type = "amd64_umc", .pmu = "amd_umc", .libpfm = "",
		.scope = PMU_PER_BOX,
		.event = {
			{ "", 0, 0x10a },
			{ "", 0, 0x20a },
		},
	},
};

const struct pmu_processor pmu_zen4 = {
	.name = "AMD Zen 4", .vendor = PMU_AMD, .family = 0x19,
	.models = { { 0x10, 0x1f }, { 0x60, 0xaf } },
	PMU_UNITS(units),
};
