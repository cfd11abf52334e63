/* SPDX-License-Identifier: BSD-3-Clause */
/* zen5.c - AMD family 1Ah, Zen 5: Turin */
#include "collectors/pmu/zen.h"

/*
 * The codes are from Linux, tools/perf/pmu-events/arch/x86/amdzen5, because libpfm4 4.13 does not
 * support this processor. CTL0 and CTL5 show umask FFh, although this core does not define all of
 * its bits: readers recognise FLOPS and stalls by these values. Zen 5 lacks the event that slot 4
 * has on Zen 3 and Zen 4; slot 4 counts stalls for lack of ALU tokens instead. There is no type
 * amd64_df, because readers know no event codes of this data fabric. The memory controllers (UMC)
 * cover all channels, with CAS commands of rdwrmask 1 and 2.
 */
static const struct pmu_unit units[] = {
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "",
		.scope = PMU_PER_CPU,
		.event = {
			{ "", 0x43ff03, 0xf03 },
			{ NULL },
			{ "", 0x4300c2, 0xc2 },
			{ "", 0x4300c3, 0xc3 },
			{ "", 0x4301af, 0x1af },
			{ "", 0x43ffae, 0x57ae },
		},
		ZEN_FIXED,
	},
	{ .type = "amd64_umc", .libpfm = "", ZEN_UMC },
};

const struct pmu_processor pmu_zen5 = {
	.name = "AMD Zen 5", .vendor = PMU_AMD, .family = 0x1a,
	.models = { { 0x00, 0x1f, 32 }, { 0x20, 0x4f }, { 0x60, 0x7f } },
	PMU_UNITS(units),
};
