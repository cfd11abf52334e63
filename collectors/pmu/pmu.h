/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu.h - hardware counters: the tables of processors, and the engine that reads them */
#pragma once

#include "collectors/collector.h"

/* Upper limits of the general and fixed counters of a unit. */
#define PMU_EVENTS 8
#define PMU_FIXED  3
#define PMU_GROUP  (PMU_EVENTS + PMU_FIXED)

enum pmu_vendor {
	PMU_ANY,	/* any processor matches */
	PMU_INTEL,	/* family and model are from cpuid */
	PMU_AMD,
	PMU_ARM,	/* family and model are implementer and part of MIDR_EL1 */
	PMU_IBM,	/* family is the generation of POWER */
	PMU_OTHERS,	/* processors without a table */
};

struct pmu_cpuid {
	enum pmu_vendor vendor;
	unsigned family, model;
};

/* Bits of a core's event select register that the engine interprets (Intel SDM 3B, 19.2.1). */
#define PMU_CTL_USR (1u << 16)
#define PMU_CTL_OS  (1u << 17)

struct pmu_event {
	const char *name;	/* libpfm4's name after "::"; "": none; NULL: the slot is unused */
	uint64_t ctl;		/* control register of the event, shown by key CTLn */
	uint64_t config, config1;	/* for struct perf_event_attr */
	const char *pmu;	/* PMU, if different from the unit's */
	/* file in that PMU's events/ that exists if the kernel can count the event, or NULL */
	const char *alias;
	uint64_t config2;
	unsigned abi_type;	/* value of enum perf_type_id plus 1; 0: use the PMU's number */
	unsigned exclude;	/* mask of LIBPFM_NO_..., in addition to the modes in .ctl */
};

enum pmu_scope {
	PMU_PER_CPU,		/* each logical CPU: device "11" */
	PMU_PER_PACKAGE,	/* each package: device "0" */
	PMU_PER_BOX,		/* each box, several per package: device "0/3" */
	PMU_BY_CPU,		/* each package, named by the CPU that reads it: device "0" */
};

enum pmu_threads {
	PMU_ALWAYS,
	PMU_NO_HT,	/* only if a core has one thread, because threads share its counters */
	PMU_HT,		/* only if a core has several threads */
};

/* A kind of counting device of a processor, and its events. */
struct pmu_unit {
	const char *type;	/* type of the record */
	/*
	 * The kernel's name: "cpu"; "uncore_imc", which includes uncore_imc_3; "armv8_", the first
	 * core PMU with this prefix; NULL: PERF_TYPE_HARDWARE.
	 */
	const char *pmu;
	const char *libpfm;	/* the PMU's name in libpfm4 */
	enum pmu_scope scope;
	enum pmu_threads threads;
	const char *part;	/* part of a box, appended to the device; NULL: the whole box */
	/* leave out events that do not fit into a group with the events before them */
	bool as_fits;
	unsigned turns, turn;	/* use only CPUs with number % turns == turn; 0: all CPUs */
	struct pmu_event event[PMU_EVENTS];
	struct pmu_event fixed[PMU_FIXED];
};

/* A processor. Each is named pmu_FILE, and listed in pmu.am. */
struct pmu_processor {
	const char *name;	/* display name: "Intel Sandy Bridge" */
	enum pmu_vendor vendor;
	unsigned family;
	/*
	 * Ranges of models; the first may be 0 to 0. flop_cycle is the maximum number of 64-bit
	 * operations of a core per cycle, where a multiply-add counts as two (optimization manuals
	 * of Intel and AMD, Arm's software optimization guides). 0: models differ, or unknown.
	 */
	struct { uint16_t first, last, flop_cycle; } models[8];
	const struct pmu_unit *units;
	size_t n_units;

	/*
	 * With hyper-threading, Linux lets a thread use only half of the counters, to work around
	 * an erratum (since 4.1, x86_schedule_events()): a group of all counters never runs.
	 */
	bool lends_half;
};

#define PMU_UNITS(table) .units = (table), .n_units = ARRAY_SIZE(table)

extern const struct pmu_processor *const pmu_processors[];
extern const size_t n_pmu_processors;

bool pmu_processor_is(const struct pmu_processor *p, struct pmu_cpuid id);
unsigned pmu_flop_cycle(struct pmu_cpuid id);	/* per core; 0: unknown */
/* Returns true if the processor has units of this type. */
bool pmu_processor_has(const struct pmu_processor *p, const char *type);

/* Parse the first processor in the text of /proc/cpuinfo. Returns false if it is unknown. */
bool pmu_take_cpuid(struct str cpuinfo, struct pmu_cpuid *ret);

/* Get the processor from /proc/cpuinfo below the root; vendor PMU_ANY: unknown. */
struct pmu_cpuid pmu_look_at_processor(const struct files *root);

#define PMU_CPUS_MAX 8192	/* NR_CPUS of the largest kernels */

/* Take a range of CPUs from a list in sysfs, see str_take_range(). */
static inline bool pmu_take_range(struct str *list, unsigned *first, unsigned *last)
{
	return str_take_range(list, PMU_CPUS_MAX, first, last);
}

/*
 * collect() of all types of counters; .data of the collector is the type. The last metrics of each
 * type are time_enabled and time_running, which rows have only if counters are shared.
 */
#define PMU_TIME_KEYS 2
int pmu_collect(struct source *s);

struct named_type;	/* see named.h */
const struct collector *named_collector(struct named_type *t);

/* A counter of the last sample, also if opening failed. */
struct pmu_counter {
	const char *device, *key;
	const char *pmu;	/* the kernel's name in /sys/bus/event_source/devices */
	/* number of the PMU; .config and .config1 as in struct perf_event_attr */
	uint32_t type;
	uint64_t config, config1;
	int cpu;
};

/* Get counter i of a sample of pmu_collect(). Returns false after the last. */
bool pmu_planned(const struct source *s, size_t i, struct pmu_counter *ret);
