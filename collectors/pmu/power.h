/* SPDX-License-Identifier: BSD-3-Clause */
/* power.h - events that all of IBM's POWER processors have, to initialise struct pmu_unit */
#pragma once

#include "collectors/pmu/pmu.h"

/*
 * PM_RUN_INST_CMPL and PM_RUN_CYC, with their event codes for counters 5 and 6. The names are "",
 * because libpfm4 has other codes for these events, those for counters 4 and 2.
 */
#define POWER_FIXED \
	.fixed = { \
		{ "", 0, 0x500fa }, \
		{ "", 0, 0x600f4 }, \
	}
