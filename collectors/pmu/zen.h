/* SPDX-License-Identifier: BSD-3-Clause */
/* zen.h - what several of AMD's Zen processors count alike: fields of units */
#pragma once

#include "collectors/pmu/pmu.h"

#define ZEN_FIXED \
	.fixed = { \
		{ "", 0, 0x4, .pmu = "msr", .alias = "irperf" }, \
		{ "", 0, 0x1, .pmu = "msr", .alias = "aperf" }, \
		{ "", 0, 0x2, .pmu = "msr", .alias = "mperf" }, \
	}

/* Until Zen 3: beats of 64 bytes of channels 0 to 3. */
#define ZEN_DF \
	.pmu = "amd_df", .scope = PMU_BY_CPU, \
	.event = { \
		{ "", 0x403807, 0x3807 }, \
		{ "", 0x403847, 0x3847 }, \
		{ "", 0x403887, 0x3887 }, \
		{ "", 0x4038c7, 0x38c7 }, \
	}
