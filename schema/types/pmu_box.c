/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu_box.c - hardware counters of Intel processors outside the cores ("uncore" boxes) */
#include "schema/types/pmu_keys.h"

static const struct metric box[] = {
	CTL(0), CTL(1), CTL(2), CTL(3),
	CTR(0, "", 48), CTR(1, "", 48), CTR(2, "", 48), CTR(3, "", 48),
	TIMES,
};

static const struct metric box44[] = {
	CTL(0), CTL(1), CTL(2), CTL(3),
	CTR(0, "", 44), CTR(1, "", 44), CTR(2, "", 44), CTR(3, "", 44),
	TIMES,
};

static const struct metric imc[] = {
	CTL(0), CTL(1), CTL(2), CTL(3),
	CTR(0, "", 48), CTR(1, "", 48), CTR(2, "", 48), CTR(3, "", 48),
	FIXED("FIXED_CTR", 48, "cycles of the DRAM clock"),
	TIMES,
};

static const struct metric qpi[] = {
	CTL(0), CTL(1), CTL(2), CTL(3),
	CTR(0, "flt", 48), CTR(1, "flt", 48), CTR(2, "flt", 48), CTR(3, "flt", 48),
	TIMES,
};

/*
 * Keys of the power control units, of which each processor generation has its own type, as in
 * hpcperfstats' documentation; hpcperfstats itself merged the types into intel_pcu in 2019.
 * FIXED_CTR0 and FIXED_CTR1 are part of the documented schema, but no PMU of Linux counts them.
 */
static const struct metric pcu[] = {
	CTL(0), CTL(1), CTL(2), CTL(3),
	CTR(0, "", 48), CTR(1, "", 48), CTR(2, "", 48), CTR(3, "", 48),
	FIXED("FIXED_CTR0", 48, "time in C3"), FIXED("FIXED_CTR1", 48, "time in C6"),
	TIMES,
};

#define PMC(i) { "PMC" #i, COUNTER, "", "events that PERFEVTSEL" #i " names", NULL, 48 }
#define SEL(i) { "PERFEVTSEL" #i, CONTROL, "", "control register of PMC" #i ": which event" }

/*
 * Keys of the uncore. hpcperfstats' schema has keys for global control registers, but nodometer
 * never reads these registers, because the kernel owns them.
 */
static const struct metric uncore[] = {
	{ "PERF_GLOBAL_CTRL",     CONTROL, "", "not read" },
	{ "PERF_GLOBAL_STATUS",   CONTROL, "", "not read" },
	{ "PERF_GLOBAL_OVF_CTRL", CONTROL, "", "not read" },
	FIXED("FIXED_CTR0", 48, "cycles of the uncore clock"),
	{ "FIXED_CTR_CTRL",       CONTROL, "", "not read" },
	{ "ADDR_OPCODE_MATCH",    CONTROL, "", "not read" },
	PMC(0), PMC(1), PMC(2), PMC(3), PMC(4), PMC(5), PMC(6), PMC(7),
	SEL(0), SEL(1), SEL(2), SEL(3), SEL(4), SEL(5), SEL(6), SEL(7),
	TIMES,
};

/* These types have no keys for control registers, because a counter's name says what it counts. */
static const struct metric dram[] = {
	{ "dram_cas_reads",  COUNTER, "", "reads of 64 bytes from DRAM", NULL, 48 },
	{ "dram_cas_writes", COUNTER, "", "writes of 64 bytes to DRAM",  NULL, 48 },
	TIMES,
};

static const struct metric hbm[] = {
	{ "hbm_cas_reads",  COUNTER, "", "reads of 32 bytes from HBM", NULL, 48 },
	{ "hbm_cas_writes", COUNTER, "", "writes of 32 bytes to HBM",  NULL, 48 },
	TIMES,
};

#define BOX(name_, keys, what, device_, ctr_, fixed_) \
	const struct type name_##_type = { \
		.name     = #name_, \
		.about    = what, \
		.source   = "perf_event_open(2), uncore PMUs", \
		.device   = device_, \
		.counters = &(const struct type_counters){ 0, ctr_, fixed_ }, \
		METRICS(keys), \
	}
#define IN_PACKAGE "package/box"
#define NO TYPE_NO_KEY

BOX(intel_snb_cbo,   box44, "L3 slices of Sandy Bridge",            IN_PACKAGE, 4, NO);
BOX(intel_ivb_cbo,   box44, "L3 slices of Ivy Bridge",              IN_PACKAGE, 4, NO);
BOX(intel_hsw_cbo,   box,   "L3 slices of Haswell",                 IN_PACKAGE, 4, NO);
BOX(intel_bdw_cbo,   box,   "L3 slices of Broadwell",               IN_PACKAGE, 4, NO);
BOX(intel_skx_cha,   box,   "L3 slices of Skylake",                 IN_PACKAGE, 4, NO);
BOX(intel_snb_hau,   box,   "home agents of Sandy Bridge",          IN_PACKAGE, 4, NO);
BOX(intel_ivb_hau,   box,   "home agents of Ivy Bridge",            IN_PACKAGE, 4, NO);
BOX(intel_hsw_hau,   box,   "home agents of Haswell",               IN_PACKAGE, 4, NO);
BOX(intel_bdw_hau,   box,   "home agents of Broadwell",             IN_PACKAGE, 4, NO);
BOX(intel_snb_imc,   imc,   "memory channels of Sandy Bridge",      IN_PACKAGE, 4, 8);
BOX(intel_ivb_imc,   imc,   "memory channels of Ivy Bridge",        IN_PACKAGE, 4, 8);
BOX(intel_hsw_imc,   imc,   "memory channels of Haswell",           IN_PACKAGE, 4, 8);
BOX(intel_bdw_imc,   imc,   "memory channels of Broadwell",         IN_PACKAGE, 4, 8);
BOX(intel_skx_imc,   box,   "memory channels of Skylake",           IN_PACKAGE, 4, NO);
BOX(intel_snb_qpi,   qpi,   "links between Sandy Bridge packages",  IN_PACKAGE, 4, NO);
BOX(intel_ivb_qpi,   qpi,   "links between Ivy Bridge packages",    IN_PACKAGE, 4, NO);
BOX(intel_hsw_qpi,   qpi,   "links between Haswell packages",       IN_PACKAGE, 4, NO);
BOX(intel_bdw_qpi,   qpi,   "links between Broadwell packages",     IN_PACKAGE, 4, NO);
BOX(intel_snb_r2pci, box44, "PCI Express of Sandy Bridge",          IN_PACKAGE, 4, NO);
BOX(intel_ivb_r2pci, box44, "PCI Express of Ivy Bridge",            IN_PACKAGE, 4, NO);
BOX(intel_hsw_r2pci, box44, "PCI Express of Haswell",               IN_PACKAGE, 4, NO);
BOX(intel_bdw_r2pci, box44, "PCI Express of Broadwell",             IN_PACKAGE, 4, NO);
BOX(intel_knl_mc,    box,   "memory channels of Knights Landing",   IN_PACKAGE, 4, NO);
BOX(intel_knl_edc,   box,   "MCDRAM channels of Knights Landing",   IN_PACKAGE, 4, NO);
BOX(intel_knl_edc_eclk, box, "MCDRAM queues of Knights Landing",    IN_PACKAGE, 4, NO);
BOX(intel_snb_pcu,   pcu,   "power control of Sandy Bridge",        "package",  4, 8);
BOX(intel_ivb_pcu,   pcu,   "power control of Ivy Bridge",          "package",  4, 8);
BOX(intel_hsw_pcu,   pcu,   "power control of Haswell",             "package",  4, 8);
BOX(intel_bdw_pcu,   pcu,   "power control of Broadwell",           "package",  4, 8);

const struct type intel_uncore_type = {
	.name     = "intel_uncore",
	.about    = "L3 cache of Nehalem and Westmere",
	.source   = "perf_event_open(2), PMU uncore",
	.device   = "the CPU that reads a package",
	.counters = &(const struct type_counters){ .ctl = 14, .ctr = 6, .fixed = 3 },
	METRICS(uncore),
};

#define DRAM(name_, keys, what, device_) \
	const struct type name_##_type = { \
		.name     = #name_, \
		.about    = what, \
		.source   = "perf_event_open(2), uncore PMUs", \
		.device   = device_, \
		.counters = &(const struct type_counters){ NO, 0, NO }, \
		METRICS(keys), \
	}

DRAM(amd64_umc, dram, "memory channels of AMD's processors from Zen 4 on", IN_PACKAGE);
DRAM(intel_x86_uncore_imc_icx, dram, "memory channels of Ice Lake", IN_PACKAGE);
DRAM(intel_x86_uncore_imc_spr, dram, "memory channels of Sapphire and Emerald Rapids", IN_PACKAGE);
DRAM(intel_x86_uncore_hbm_spr, hbm,  "HBM channels of Xeon Max (Sapphire Rapids)", IN_PACKAGE);
DRAM(intel_x86_uncore_imc_gnr, dram, "memory channels of Granite Rapids", IN_PACKAGE ".half");
