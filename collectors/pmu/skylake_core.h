/* SPDX-License-Identifier: BSD-3-Clause */
/* skylake_core.h - what Skylake and the Intel servers since then count in their cores */
#pragma once

#include "collectors/pmu/pmu.h"

/* Two units of a table: without hyper-threading there are twice as many general counters. */
#define SKYLAKE_CORE(libpfm_) \
	{ \
		.type = "intel_8pmc3", .pmu = "cpu", .libpfm = libpfm_, \
		.scope = PMU_PER_CPU, .threads = PMU_NO_HT, \
		.event = { \
			{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",      0x4301c7, 0x1c7 }, \
			{ "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", 0x4304c7, 0x4c7 }, \
			{ "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", 0x4310c7, 0x10c7 }, \
			{ "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", 0x4340c7, 0x40c7 }, \
			{ "FP_ARITH_INST_RETIRED:SCALAR_SINGLE",      0x4302c7, 0x2c7 }, \
			{ "FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE", 0x4308c7, 0x8c7 }, \
			{ "FP_ARITH_INST_RETIRED:256B_PACKED_SINGLE", 0x4320c7, 0x20c7 }, \
			{ "FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE", 0x4380c7, 0x80c7 }, \
		}, \
		.fixed = { \
			{ "INSTRUCTION_RETIRED",       0, 0xc0 }, \
			{ "UNHALTED_CORE_CYCLES",      0, 0x3c }, \
			{ "UNHALTED_REFERENCE_CYCLES", 0, 0x300 }, \
		}, \
	}, \
	{ \
		.type = "intel_4pmc3", .pmu = "cpu", .libpfm = libpfm_, \
		.scope = PMU_PER_CPU, .threads = PMU_HT, \
		.event = { \
			{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",      0x4301c7, 0x1c7 }, \
			{ "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", 0x4304c7, 0x4c7 }, \
			{ "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", 0x4310c7, 0x10c7 }, \
			{ "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", 0x4340c7, 0x40c7 }, \
		}, \
		.fixed = { \
			{ "INSTRUCTION_RETIRED",       0, 0xc0 }, \
			{ "UNHALTED_CORE_CYCLES",      0, 0x3c }, \
			{ "UNHALTED_REFERENCE_CYCLES", 0, 0x300 }, \
		}, \
	}
