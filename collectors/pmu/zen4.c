/* SPDX-License-Identifier: BSD-3-Clause */
/* zen4.c - AMD family 19h, Zen 4: Genoa */
#include "collectors/pmu/zen.h"

/*
 * Events for transfers of 64 bytes on a memory channel. The event code is 1Fh + 40h * channel; its
 * bits from 8 on are at bit 32 of the register. The umask is 7FEh for reads and 7FFh for writes;
 * its low byte is at bit 8, the rest at bit 24. Linux multiplexes the six groups of four events if
 * the data fabric has fewer than 24 counters.
 */
#define DF_CODE(channel)  (0x1full + 0x40 * (channel))
#define DF_EVENT(channel) ((DF_CODE(channel) & 0xff) | DF_CODE(channel) >> 8 << 32)
#define DF_BEATS(channel, umask) \
	{ "", DF_EVENT(channel) | (umask) | 0x400000, DF_EVENT(channel) | (umask) }
#define DF_READS(channel)  DF_BEATS(channel, 0x700fe00)
#define DF_WRITES(channel) DF_BEATS(channel, 0x700ff00)
#define DF(part_) \
	.type = "amd64_df", .pmu = "amd_df", .libpfm = "", .scope = PMU_BY_CPU, .part = part_

/*
 * CTL0 and CTL5 show umask FFh, although this core does not define all of its bits: readers
 * recognise FLOPS and stalls by these values. Slot 1 is empty: see zen2.c.
 */
static const struct pmu_unit units[] = {
	{ .type = "amd64_pmc", .libpfm = "amd64_fam19h_zen4", ZEN3_CORE(0x1f03) },
	{ DF(NULL), .event = { DF_READS(0), DF_READS(1), DF_READS(2), DF_READS(3) } },
	{ DF(".r4"), .event = { DF_READS(4), DF_READS(5), DF_READS(6), DF_READS(7) } },
	{ DF(".r8"), .event = { DF_READS(8), DF_READS(9), DF_READS(10), DF_READS(11) } },
	{ DF(".w0"), .event = { DF_WRITES(0), DF_WRITES(1), DF_WRITES(2), DF_WRITES(3) } },
	{ DF(".w4"), .event = { DF_WRITES(4), DF_WRITES(5), DF_WRITES(6), DF_WRITES(7) } },
	{ DF(".w8"), .event = { DF_WRITES(8), DF_WRITES(9), DF_WRITES(10), DF_WRITES(11) } },
	{ .type = "amd64_umc", .libpfm = "", ZEN_UMC },
};

const struct pmu_processor pmu_zen4 = {
	.name = "AMD Zen 4", .vendor = PMU_AMD, .family = 0x19,
	.models = { { 0x10, 0x1f, 16 }, { 0x60, 0xaf, 16 } },
	PMU_UNITS(units),
};
