/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu.h - hardware counters: what a processor's table says, and what the engine makes of it */
#pragma once

#include "collectors/collector.h"

/* More general and fixed counters than any unit has. */
#define PMU_EVENTS 8
#define PMU_FIXED  3
#define PMU_GROUP  (PMU_EVENTS + PMU_FIXED)

enum pmu_vendor {
	PMU_ANY,	/* not asked for */
	PMU_INTEL,	/* family and model of cpuid */
	PMU_AMD,
	PMU_ARM,	/* implementer and part of MIDR_EL1 */
	PMU_IBM,	/* POWER and its generation */
	PMU_OTHERS,	/* no table knows more of these */
};

struct pmu_cpuid {
	enum pmu_vendor vendor;
	unsigned family, model;
};

/* Bits of a core's event select register that the engine looks at (Intel SDM 3B, 19.2.1). */
#define PMU_CTL_USR (1u << 16)
#define PMU_CTL_OS  (1u << 17)

struct pmu_event {
	const char *name;	/* libpfm4's, after its "::"; "" if it has none; NULL: no event */
	uint64_t ctl;		/* the event's control register, shown by key CTLn */
	uint64_t config, config1;	/* struct perf_event_attr */
	const char *pmu;	/* if not the unit's */
	const char *alias;	/* in that PMU's events/ where the kernel can count it, or NULL */
	uint64_t config2;
	unsigned abi_type;	/* of enum perf_type_id, and 1; 0: the number of its PMU */
	unsigned exclude;	/* LIBPFM_NO_..., ored, besides what ctl says */
};

enum pmu_scope {
	PMU_PER_CPU,		/* each logical CPU: device "11" */
	PMU_PER_PACKAGE,	/* device: the package, "0" */
	PMU_PER_BOX,		/* several per package: device "0/3" */
	PMU_BY_CPU,		/* a CPU of each package, as device: "0" */
};

enum pmu_threads {
	PMU_ALWAYS,
	PMU_NO_HT,	/* the threads of a core share its counters: only where it has one */
	PMU_HT,		/* only where it has several */
};

/* A kind of counting device of a processor, and the events that are counted there. */
struct pmu_unit {
	const char *type;	/* of the record */
	/*
	 * The kernel's: "cpu"; "uncore_imc" is uncore_imc_3 as well; "armv8_", of cores, is the
	 * first with this prefix; NULL: PERF_TYPE_HARDWARE.
	 */
	const char *pmu;
	const char *libpfm;	/* name of that PMU in libpfm4 */
	enum pmu_scope scope;
	enum pmu_threads threads;
	const char *part;	/* of the box, after its number in the device; NULL: all of it */
	bool as_fits;		/* events that do not fit beside those before are left out */
	unsigned turns, turn;	/* only on CPUs with number % turns == turn; 0: on all */
	struct pmu_event event[PMU_EVENTS];
	struct pmu_event fixed[PMU_FIXED];
};

/* A processor is one of these, pmu_<file>, and one word in pmu.am. */
struct pmu_processor {
	const char *name;	/* a person's: "Intel Sandy Bridge" */
	enum pmu_vendor vendor;
	unsigned family;
	/*
	 * The first may be 0 to 0. The most operations of 64 bits that a core does in a cycle, a
	 * multiplication and an addition as two: Intel and AMD optimization manuals, Arm's software
	 * optimization guides. 0: models differ, or it is not known.
	 */
	struct { uint16_t first, last, flop_cycle; } models[8];
	const struct pmu_unit *units;
	size_t n_units;

	/*
	 * With hyper-threading, Linux lends a thread half of the counters, as a way round an
	 * erratum (since 4.1, x86_schedule_events()): a group of all of them does not run.
	 */
	bool lends_half;
};

#define PMU_UNITS(table) .units = (table), .n_units = ARRAY_SIZE(table)

extern const struct pmu_processor *const pmu_processors[];
extern const size_t n_pmu_processors;

bool pmu_processor_is(const struct pmu_processor *p, struct pmu_cpuid id);
unsigned pmu_flop_cycle(struct pmu_cpuid id);	/* of a core, 0: not known */
/* Does the processor have units of this type? */
bool pmu_processor_has(const struct pmu_processor *p, const char *type);

/* Takes the first processor of /proc/cpuinfo. False: nothing we understand. */
bool pmu_take_cpuid(struct str cpuinfo, struct pmu_cpuid *ret);

/* The processor of /proc/cpuinfo below the root; vendor PMU_ANY: not known. */
struct pmu_cpuid pmu_look_at_processor(const struct files *root);

#define PMU_CPUS_MAX 8192	/* NR_CPUS of the largest kernels */

/* Takes "4" or "0-3" and the comma after it off a list of CPUs as sysfs writes it: ascending. */
bool pmu_take_range(struct str *list, unsigned *first, unsigned *last);

/*
 * Of all types of counters, with the type as .data of their collectors. Last among its metrics
 * stand time_enabled and time_running, which rows have only where counters are shared.
 */
#define PMU_TIME_KEYS 2
int pmu_collect(struct source *s);

struct named_type;	/* see named.h */
const struct collector *named_collector(struct named_type *t);

/* A counter that the last sample opened, or would have opened. */
struct pmu_counter {
	const char *device, *key;
	const char *pmu;	/* of the kernel, as in /sys/bus/event_source/devices */
	uint32_t type;		/* the PMU's number, and the rest of struct perf_event_attr: */
	uint64_t config, config1;
	int cpu;
};

/* The i-th of them; false after the last. Of a sample that pmu_collect() has seen. */
bool pmu_planned(const struct source *s, size_t i, struct pmu_counter *ret);
