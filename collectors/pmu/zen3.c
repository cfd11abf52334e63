/* SPDX-License-Identifier: BSD-3-Clause */
/* zen3.c - AMD family 19h, Zen 3: Milan */
#include "collectors/pmu/zen.h"

/*
 * CTL0 and CTL5 show umask FFh, although this core does not define all of its bits: readers
 * recognise FLOPS and stalls by these values. Slot 1 is empty: see zen2.c.
 */
static const struct pmu_unit units[] = {
	{ .type = "amd64_pmc", .libpfm = "amd64_fam19h_zen3", ZEN3_CORE(0xf03) },
	{ .type = "amd64_df", .libpfm = "", ZEN_DF },
};

const struct pmu_processor pmu_zen3 = {
	.name = "AMD Zen 3", .vendor = PMU_AMD, .family = 0x19,
	.models = { { 0x00, 0x0f, 16 }, { 0x20, 0x5f, 16 } },
	PMU_UNITS(units),
};
