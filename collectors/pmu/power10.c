/* SPDX-License-Identifier: BSD-3-Clause */
/* power10.c - IBM POWER10 */
#include "collectors/pmu/power.h"

/* Slot 4 is empty: the event for all stalls needs the counter that L3 misses use. */
static const struct pmu_unit units[] = {
	{
		.type = "ibm_power", .pmu = "cpu", .libpfm = "power10", .scope = PMU_PER_CPU,
		.event = {
			{ "PM_FLOP_CMPL",             0, 0x100f4 },
			{ "PM_LD_DEMAND_MISS_L1_FIN", 0, 0x400f0 },
			{ "PM_DATA_FROM_L2MISS_ALT2", 0, 0x200fe },
			{ "PM_DATA_FROM_L3MISS_ALT3", 0, 0x300fe },
		},
		POWER_FIXED
	},
};

const struct pmu_processor pmu_power10 = {
	.name = "IBM POWER10", .vendor = PMU_IBM, .family = 10,
	PMU_UNITS(units),
};
