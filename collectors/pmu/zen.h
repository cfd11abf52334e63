/* SPDX-License-Identifier: BSD-3-Clause */
/* zen.h - events that several of AMD's Zen processors share, as initialisers of units */
#pragma once

#include "collectors/pmu/pmu.h"

/* Events of the kernel's PMU msr (arch/x86/events/msr.c). */
#define ZEN_FIXED \
	.fixed = { \
		{ "", 0, 0x6, .pmu = "msr", .alias = "irperf" }, \
		{ "", 0, 0x1, .pmu = "msr", .alias = "aperf" }, \
		{ "", 0, 0x2, .pmu = "msr", .alias = "mperf" }, \
	}

/* Events of the data fabric up to Zen 3: transfers of 64 bytes on channels 0 to 3. */
#define ZEN_DF \
	.pmu = "amd_df", .scope = PMU_BY_CPU, \
	.event = { \
		{ "", 0x403807, 0x3807 }, \
		{ "", 0x403847, 0x3847 }, \
		{ "", 0x403887, 0x3887 }, \
		{ "", 0x4038c7, 0x38c7 }, \
	}

/*
 * Events of the memory controllers (UMC, since Linux 6.8): CAS commands for reads (rdwrmask 1) and
 * for writes (2).
 */
#define ZEN_UMC \
	.pmu = "amd_umc", .scope = PMU_PER_BOX, .event = { { "", 0, 0x10a }, { "", 0, 0x20a } }

/*
 * Core events since Zen 3. flops: .config of the event that counts all floating point operations.
 */
#define ZEN3_CORE(flops) \
	.pmu = "cpu", .scope = PMU_PER_CPU, \
	.event = { \
		{ "RETIRED_SSE_AVX_FLOPS:ANY",                   0x43ff03, flops }, \
		{ NULL }, \
		{ "RETIRED_BRANCH_INSTRUCTIONS",                 0x4300c2, 0xc2 }, \
		{ "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED",    0x4300c3, 0xc3 }, \
		{ "DISPATCH_RESOURCE_STALL_CYCLES_2:INT_SCHEDULER_3_TOKEN_STALL", \
		  0x4308af, 0x8af }, \
		{ "DISPATCH_RESOURCE_STALL_CYCLES_1:INT_PHY_REG_FILE_RSRC_STALL" \
		  ":LOAD_QUEUE_RSRC_STALL:STORE_QUEUE_RSRC_STALL" \
		  ":TAKEN_BRANCH_BUFFER_RSRC_STALL:FP_REG_FILE_RSRC_STALL" \
		  ":FP_SCHEDULER_RSRC_STALL:FP_FLUSH_RECOVERY_STALL", \
		  0x43ffae, 0xf7ae }, \
	}, \
	ZEN_FIXED
