/* SPDX-License-Identifier: BSD-3-Clause */
/* intel.h - events that several Intel processors share, as initialisers of units */
#pragma once

#include "collectors/pmu/pmu.h"

#define INTEL_FIXED \
	.fixed = { \
		{ "INSTRUCTION_RETIRED",       0, 0xc0 }, \
		{ "UNHALTED_CORE_CYCLES",      0, 0x3c }, \
		{ "UNHALTED_REFERENCE_CYCLES", 0, 0x300 }, \
	}

/*
 * Core events of Sandy Bridge and Ivy Bridge without hyper-threading. E5_CORE_HT has the events
 * with hyper-threading.
 */
#define SANDY_BRIDGE_CORE \
	.pmu = "cpu", .scope = PMU_PER_CPU, .threads = PMU_NO_HT, \
	.event = { \
		{ "MEM_UOPS_RETIRED:ALL_LOADS",           0x4381d0, 0x81d0 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L1_HIT",         0x4301d1, 0x1d1 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L2_HIT",         0x4302d1, 0x2d1 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L3_HIT",         0x4304d1, 0x4d1 }, \
		{ "L1D:REPLACEMENT",                      0x430151, 0x151 }, \
		{ "FP_COMP_OPS_EXE:SSE_SCALAR_DOUBLE",    0x438010, 0x8010 }, \
		{ "FP_COMP_OPS_EXE:SSE_FP_PACKED_DOUBLE", 0x431010, 0x1010 }, \
		{ "SIMD_FP_256:PACKED_DOUBLE",            0x430211, 0x211 }, \
	}, \
	INTEL_FIXED

#define E5_CORE_HT \
	.pmu = "cpu", .scope = PMU_PER_CPU, .threads = PMU_HT, \
	.event = { \
		{ "MEM_UOPS_RETIRED:ALL_LOADS",   0x4381d0, 0x81d0 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L1_HIT", 0x4301d1, 0x1d1 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L2_HIT", 0x4302d1, 0x2d1 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L3_HIT", 0x4304d1, 0x4d1 }, \
	}, \
	INTEL_FIXED

#define HASWELL_CORE \
	.pmu = "cpu", .scope = PMU_PER_CPU, .threads = PMU_NO_HT, \
	.event = { \
		{ "MEM_UOPS_RETIRED:ALL_LOADS",          0x4381d0, 0x81d0 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L1_HIT",        0x4301d1, 0x1d1 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L2_HIT",        0x4302d1, 0x2d1 }, \
		{ "L1D:REPLACEMENT",                     0x430151, 0x151 }, \
		{ "MEM_LOAD_UOPS_RETIRED:L3_HIT",        0x4304d1, 0x4d1 }, \
		{ "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", 0x430108, 0x108 }, \
		{ "RESOURCE_STALLS:ANY",                 0x4301a2, 0x1a2 }, \
		{ "L2_LINES_IN:ALL",                     0x4307f1, 0x7f1 }, \
	}, \
	INTEL_FIXED

#define HASWELL_CBO \
	.pmu = "uncore_cbox", .scope = PMU_PER_BOX, \
	.event = { \
		{ "UNC_C_RXR_OCCUPANCY:IRQ",    0x1400111, 0x111 }, \
		{ "UNC_C_LLC_LOOKUP:DATA_READ", 0x1400334, 0x334, 0xfe0000 }, \
		{ "UNC_C_RING_IV_USED:ANY",     0x1400f1e, 0xf1e }, \
		{ "UNC_C_LLC_LOOKUP:WRITE",     0x1400534, 0x534, 0xfe0000 }, \
	}

/*
 * Events of the uncore boxes of Xeon E5 processors, from Sandy Bridge or Ivy Bridge to Broadwell.
 */
#define E5_HAU \
	.pmu = "uncore_ha", .scope = PMU_PER_BOX, \
	.event = { \
		{ "UNC_H_REQUESTS:READS",  0x1400301, 0x301 }, \
		{ "UNC_H_REQUESTS:WRITES", 0x1400c01, 0xc01 }, \
		{ "UNC_H_CLOCKTICKS",      0x1400000, 0 }, \
		{ "UNC_H_IMC_WRITES:ALL",  0x1400f1a, 0xf1a }, \
	}

#define E5_IMC \
	.pmu = "uncore_imc", .scope = PMU_PER_BOX, \
	.event = { \
		{ "UNC_M_CAS_COUNT:RD",        0x1400304, 0x304 }, \
		{ "UNC_M_CAS_COUNT:WR",        0x1400c04, 0xc04 }, \
		{ "UNC_M_ACT_COUNT:RD:WR:BYP", 0x1400b01, 0xb01 }, \
		{ "UNC_M_PRE_COUNT:PAGE_MISS", 0x1400102, 0x102 }, \
	}, \
	.fixed = { \
		{ "UNC_M_CLOCKTICKS", 0, 0xff }, \
	}

#define E5_QPI \
	.pmu = "uncore_qpi", .scope = PMU_PER_BOX, \
	.event = { \
		{ "UNC_Q_TXL_FLITS_G1:SNP",        0x600100, 0x200100 }, \
		{ "UNC_Q_TXL_FLITS_G1:HOM_NONREQ", 0x600400, 0x200400 }, \
		{ "UNC_Q_RXL_FLITS_G1:DRS_DATA",   0x600802, 0x200802 }, \
		{ "UNC_Q_RXL_FLITS_G2:NCB_DATA",   0x600403, 0x200403 }, \
	}

#define E5_R2PCI \
	.pmu = "uncore_r2pcie", .scope = PMU_PER_BOX, \
	.event = { \
		{ "", 0x1400424, 0x424 }, \
		{ "", 0x1400f09, 0xf09 }, \
		{ "", 0x1400f07, 0xf07 }, \
		{ "", 0x1400f08, 0xf08 }, \
	}

#define E5_PCU \
	.pmu = "uncore_pcu", .scope = PMU_PER_PACKAGE, \
	.event = { \
		{ "UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES", 0x1400004, 0x4 }, \
		{ "UNC_P_FREQ_MAX_POWER_CYCLES",         0x1400005, 0x5 }, \
		{ "",                                    0x1400081, 0x81 }, \
		{ "",                                    0x1400082, 0x82 }, \
	}

/* Core events of Skylake and later servers. */
#define SKYLAKE_CORE \
	.pmu = "cpu", .scope = PMU_PER_CPU, .threads = PMU_NO_HT, \
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
	INTEL_FIXED

#define SKYLAKE_CORE_HT \
	.pmu = "cpu", .scope = PMU_PER_CPU, .threads = PMU_HT, \
	.event = { \
		{ "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",      0x4301c7, 0x1c7 }, \
		{ "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", 0x4304c7, 0x4c7 }, \
		{ "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", 0x4310c7, 0x10c7 }, \
		{ "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", 0x4340c7, 0x40c7 }, \
	}, \
	INTEL_FIXED

#define NEHALEM_UNCORE \
	.pmu = "uncore", .scope = PMU_BY_CPU, \
	.event = { \
		{ "UNC_LLC_HITS:READ",     0x400108, 0x108 }, \
		{ "UNC_LLC_HITS:WRITE",    0x400208, 0x208 }, \
		{ "UNC_LLC_HITS:PROBE",    0x400408, 0x408 }, \
		{ "UNC_LLC_MISS:READ",     0x400109, 0x109 }, \
		{ "UNC_LLC_MISS:WRITE",    0x400209, 0x209 }, \
		{ "UNC_LLC_MISS:PROBE",    0x400409, 0x409 }, \
		{ "UNC_LLC_LINES_IN:ANY",  0x400f0a, 0xf0a }, \
		{ "UNC_LLC_LINES_OUT:ANY", 0x401f0b, 0x1f0b }, \
	}, \
	.fixed = { { "UNC_CLK_UNHALTED", 0, 0xff } }
