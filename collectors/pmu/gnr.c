/* SPDX-License-Identifier: BSD-3-Clause */
/* gnr.c - Intel Granite Rapids */
#include "collectors/pmu/intel.h"

/*
 * The core's events are those of Sapphire Rapids. A device, such as 0/3.1, is one of the two
 * subchannels of a memory channel (Linux, tools/perf/pmu-events/arch/x86/graniterapids; libpfm4
 * 4.13 does not support this processor).
 */
static const struct pmu_unit units[] = {
	{ .type = "intel_8pmc3", .libpfm = "spr", SKYLAKE_CORE },
	{ .type = "intel_4pmc3", .libpfm = "spr", SKYLAKE_CORE_HT },
	{
		.type = "intel_x86_uncore_imc_gnr", .pmu = "uncore_imc", .libpfm = "",
		.scope = PMU_PER_BOX, .part = ".0",
		.event = {
			{ "", 0, 0xcf05 },
			{ "", 0, 0xf005 },
		},
	},
	{
		.type = "intel_x86_uncore_imc_gnr", .pmu = "uncore_imc", .libpfm = "",
		.scope = PMU_PER_BOX, .part = ".1",
		.event = {
			{ "", 0, 0xcf06 },
			{ "", 0, 0xf006 },
		},
	},
};

const struct pmu_processor pmu_gnr = {
	.name = "Intel Granite Rapids", .vendor = PMU_INTEL, .family = 6,
	.models = { { 0xad, 0xae, 32 } },
	PMU_UNITS(units),
};
