/* SPDX-License-Identifier: BSD-3-Clause */
/* power9.c - IBM POWER9 */
#include "collectors/pmu/power.h"

/*
 * The fifth hexadecimal digit from the right, such as 1 in 0x1e054, is the counter for the event.
 * Counters 5 and 6 only count the events in .fixed.
 */
static const struct pmu_unit units[] = {
	{
		.type = "ibm_power", .pmu = "cpu", .libpfm = "power9", .scope = PMU_PER_CPU,
		.event = {
			{ "PM_FLOP_CMPL",        0, 0x4505e },
			{ "PM_LD_MISS_L1_FIN",   0, 0x2c04e },
			{ NULL },
			{ "PM_DATA_FROM_L3MISS", 0, 0x300fe },
			{ "PM_CMPLU_STALL",      0, 0x1e054 },
		},
		POWER_FIXED
	},
};

const struct pmu_processor pmu_power9 = {
	.name = "IBM POWER9", .vendor = PMU_IBM, .family = 9,
	PMU_UNITS(units),
};
