/* SPDX-License-Identifier: BSD-3-Clause */
/* amd10h.c - AMD family 10h: Barcelona, Shanghai, Istanbul, Magny-Cours */
#include "collectors/pmu/pmu.h"

/*
 * Four neighbouring cores share a north bridge. Each of these cores counts one of the north
 * bridge's four events, and three events of its own in the other slots.
 */
static const struct pmu_unit units[] = {
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "amd64_fam10h_barcelona",
		.scope = PMU_PER_CPU, .turns = 4, .turn = 0,
		.event = {
			{ "DRAM_ACCESSES_PAGE:HIT:MISS:CONFLICT", 0x4307e0, 0x7e0 },
			{ "CPU_CLK_UNHALTED:u",                   0x410076, 0x76 },
			{ "DATA_CACHE_REFILLS:SYSTEM",            0x430142, 0x142 },
			{ "RETIRED_SSE_OPERATIONS:ALL",           0x437f03, 0x7f03 },
		},
	},
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "amd64_fam10h_barcelona",
		.scope = PMU_PER_CPU, .turns = 4, .turn = 1,
		.event = {
			{ "CPU_CLK_UNHALTED:u",                          0x410076, 0x76 },
			{ "HYPERTRANSPORT_LINK0:COMMAND_DWORD_SENT:DATA_DWORD_SENT"
			  ":BUFFER_RELEASE_DWORD_SENT:ADDRESS_EXT_DWORD_SENT:PER_PACKET_CRC_SENT",
			  0x4337f6, 0x37f6 },
			{ "DATA_CACHE_REFILLS:SYSTEM",                   0x430142, 0x142 },
			{ "RETIRED_SSE_OPERATIONS:ALL",                  0x437f03, 0x7f03 },
		},
	},
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "amd64_fam10h_barcelona",
		.scope = PMU_PER_CPU, .turns = 4, .turn = 2,
		.event = {
			{ "CPU_CLK_UNHALTED:u",                          0x410076, 0x76 },
			{ "DATA_CACHE_REFILLS:SYSTEM",                   0x430142, 0x142 },
			{ "HYPERTRANSPORT_LINK1:COMMAND_DWORD_SENT:DATA_DWORD_SENT"
			  ":BUFFER_RELEASE_DWORD_SENT:ADDRESS_EXT_DWORD_SENT:PER_PACKET_CRC_SENT",
			  0x4337f7, 0x37f7 },
			{ "RETIRED_SSE_OPERATIONS:ALL",                  0x437f03, 0x7f03 },
		},
	},
	{
		.type = "amd64_pmc", .pmu = "cpu", .libpfm = "amd64_fam10h_barcelona",
		.scope = PMU_PER_CPU, .turns = 4, .turn = 3,
		.event = {
			{ "CPU_CLK_UNHALTED:u",                          0x410076, 0x76 },
			{ "DATA_CACHE_REFILLS:SYSTEM",                   0x430142, 0x142 },
			{ "RETIRED_SSE_OPERATIONS:ALL",                  0x437f03, 0x7f03 },
			{ "HYPERTRANSPORT_LINK2:COMMAND_DWORD_SENT:DATA_DWORD_SENT"
			  ":BUFFER_RELEASE_DWORD_SENT:ADDRESS_EXT_DWORD_SENT:PER_PACKET_CRC_SENT",
			  0x4337f8, 0x37f8 },
		},
	},
};

const struct pmu_processor pmu_amd10h = {
	.name = "AMD 10h", .vendor = PMU_AMD, .family = 0x10,
	.models = { { 0x00, 0xff, 4 } },
	PMU_UNITS(units),
};
