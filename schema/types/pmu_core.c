/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu_core.c - hardware counters of a core: Intel, ARM, POWER, and generic events */
#include "schema/types/pmu_keys.h"

static const struct metric keys8[] = {
	CTL(0), CTL(1), CTL(2), CTL(3), CTL(4), CTL(5), CTL(6), CTL(7),
	CTR(0, "", 48), CTR(1, "", 48), CTR(2, "", 48), CTR(3, "", 48),
	CTR(4, "", 48), CTR(5, "", 48), CTR(6, "", 48), CTR(7, "", 48),
	CORE_FIXED(48),
	TIMES,
};

/*
 * hpcperfstats declares CTR0 to CTR3 of intel_4pmc3 as control registers by mistake; they are
 * counters.
 */
static const struct metric keys4[] = {
	CTL(0), CTL(1), CTL(2), CTL(3),
	CTR(0, "", 48), CTR(1, "", 48), CTR(2, "", 48), CTR(3, "", 48),
	CORE_FIXED(48),
	TIMES,
};

/*
 * Keys of Nehalem. The fixed counters come first, as in hpcperfstats' archives from 2013 to 2015.
 */
static const struct metric nhm_keys[] = {
	CORE_FIXED(48),
	CTL(0), CTL(1), CTL(2), CTL(3),
	CTR(0, "", 48), CTR(1, "", 48), CTR(2, "", 48), CTR(3, "", 48),
	TIMES,
};

static const struct metric knl_keys[] = {
	CTL(0), CTL(1),
	CTR(0, "", 40), CTR(1, "", 40),
	CORE_FIXED(40),
	TIMES,
};

static const struct metric neoverse_keys[] = {
	{ "instructions",    COUNTER, "", "instructions retired" },
	{ "l1d_refill",      COUNTER, "", "lines brought into the L1 data cache" },
	{ "l2d_refill",      COUNTER, "", "lines brought into the L2 cache" },
	{ "ll_cache_miss_rd", COUNTER, "", "reads that missed the last level of cache" },
	{ "fp_spec",         COUNTER, "", "scalar floating point operations, speculated" },
	{ "ase_spec",        COUNTER, "", "vector (Advanced SIMD) operations, speculated" },
	{ "cycles",          COUNTER, "", "core cycles not halted" },
	TIMES,
};

static const struct metric power_keys[] = {
	{ "fp_cmpl",      COUNTER, "", "floating point operations completed" },
	{ "l1d_miss",     COUNTER, "", "loads that missed the L1 data cache" },
	{ "l2_miss",      COUNTER, "", "loads of data from beyond the L2 cache, on POWER10" },
	{ "l3_miss",      COUNTER, "", "loads of data from beyond the L3 cache" },
	{ "stall_cycles", COUNTER, "", "cycles in which nothing completed, on POWER9" },
	{ "instructions", COUNTER, "", "instructions completed" },
	{ "cycles",       COUNTER, "", "core cycles of a thread that runs" },
	TIMES,
};

/*
 * Keys in the order of the table in collectors/pmu/generic.c: first general events, then events
 * that only some processors have.
 */
static const struct metric hardware_keys[] = {
	{ "instructions",     COUNTER, "", "instructions retired" },
	{ "cycles",           COUNTER, "", "core cycles not halted" },
	{ "cache_references", COUNTER, "", "accesses to the cache, most often its last level" },
	{ "cache_misses",     COUNTER, "", "of them, misses" },
	{ "branches",         COUNTER, "", "branch instructions retired" },
	{ "branch_misses",    COUNTER, "", "of them, mispredicted" },
	{ "ref_cycles",       COUNTER, "", "reference cycles not halted" },
	{ "stalled_backend",  COUNTER, "", "cycles that waited for execution or memory" },
	{ "stalled_frontend", COUNTER, "", "cycles that waited for instructions" },
	TIMES,
};

static const struct metric software_keys[] = {
	{ "cpu_clock",        COUNTER, "ns", "time in which the CPU's clock ran" },
	{ "task_clock",       COUNTER, "ns", "time in which its tasks were counted" },
	{ "context_switches", COUNTER, "",   "changes of the running task" },
	{ "cpu_migrations",   COUNTER, "",   "tasks that came from another CPU" },
	{ "page_faults",      COUNTER, "",   "page faults" },
	{ "major_faults",     COUNTER, "",   "page faults that waited for a disk" },
	{ "tsc",              COUNTER, "",   "time stamp counter, on x86" },
	TIMES,
};

const struct type intel_nhm_type = {
	.name     = "intel_nhm",
	.about    = "core counters of Nehalem and Westmere",
	.source   = CORE_SOURCE,
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ .ctl = 3, .ctr = 7, .fixed = 0 },
	METRICS(nhm_keys),
};

/*
 * hpcperfstats has called the following types intel_8pmc3 and intel_4pmc3 since 2019. nodometer
 * uses the older names, which its format description and most archives have.
 */

const struct type intel_snb_type = {
	.name     = "intel_snb",
	.about    = "core counters of Sandy Bridge and Ivy Bridge",
	.source   = CORE_SOURCE,
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ .ctl = 0, .ctr = 8, .fixed = 16 },
	METRICS(keys8),
};

const struct type intel_hsw_type = {
	.name     = "intel_hsw",
	.about    = "core counters of Haswell and Broadwell without hyper-threading",
	.source   = CORE_SOURCE,
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ .ctl = 0, .ctr = 8, .fixed = 16 },
	METRICS(keys8),
};

const struct type intel_hsw_ht_type = {
	.name     = "intel_hsw_ht",
	.about    = "core counters of Haswell and Broadwell with hyper-threading",
	.source   = CORE_SOURCE,
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ .ctl = 0, .ctr = 4, .fixed = 8 },
	METRICS(keys4),
};

const struct type intel_8pmc3_type = {
	.name     = "intel_8pmc3",
	.about    = "core counters of Skylake and later without hyper-threading",
	.source   = CORE_SOURCE,
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ .ctl = 0, .ctr = 8, .fixed = 16 },
	METRICS(keys8),
};

const struct type intel_4pmc3_type = {
	.name     = "intel_4pmc3",
	.about    = "core counters of Skylake and later with hyper-threading",
	.source   = CORE_SOURCE,
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ .ctl = 0, .ctr = 4, .fixed = 8 },
	METRICS(keys4),
};

const struct type intel_knl_type = {
	.name     = "intel_knl",
	.about    = "core counters of Knights Landing and Knights Mill",
	.source   = CORE_SOURCE,
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ .ctl = 0, .ctr = 2, .fixed = 4 },
	METRICS(knl_keys),
};

const struct type arm_neoverse_type = {
	.name     = "arm_neoverse",
	.about    = "core counters of ARM Neoverse",
	.source   = "perf_event_open(2), PMU armv8_*",
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ TYPE_NO_KEY, .ctr = 0, .fixed = 6 },
	METRICS(neoverse_keys),
};

const struct type ibm_power_type = {
	.name     = "ibm_power",
	.about    = "core counters of IBM's POWER9 and POWER10",
	.source   = CORE_SOURCE,
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ TYPE_NO_KEY, .ctr = 0, .fixed = 5 },
	METRICS(power_keys),
};

const struct type perf_hw_type = {
	.name     = "perf_hw",
	.about    = "core counters that the kernel names alike, where no table knows the processor",
	.source   = "perf_event_open(2), PERF_TYPE_HARDWARE",
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ TYPE_NO_KEY, .ctr = 0, .fixed = 6 },
	METRICS(hardware_keys),
};

const struct type perf_sw_type = {
	.name     = "perf_sw",
	.about    = "what the kernel's own perf counters say",
	.source   = "perf_event_open(2), PMUs software and msr",
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ TYPE_NO_KEY, .ctr = 0, .fixed = TYPE_NO_KEY },
	.off      = true,
	METRICS(software_keys),
};
