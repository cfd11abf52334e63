/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu.h - hardware counters: the tables of processors, and the engine that reads them */
#pragma once

#include "collectors/collector.h"

/* Largest numbers of general counters, fixed counters and both together that a unit can have. */
#define PMU_EVENTS 8
#define PMU_FIXED  3
#define PMU_GROUP  (PMU_EVENTS + PMU_FIXED)

enum pmu_vendor {
	PMU_ANY,	/* any processor matches */
	PMU_INTEL,	/* family and model are from cpuid */
	PMU_AMD,
	PMU_ARM, /* family and model are the fields Implementer and PartNum of register MIDR_EL1 */
	PMU_IBM,	/* family is the generation of POWER */
	PMU_OTHERS,	/* processors that have no table */
};

struct pmu_cpuid {
	enum pmu_vendor vendor;
	unsigned family, model;
};

/*
 * Bits of a core's event select register: count in user mode; count in kernel mode (Intel SDM 3B,
 * 19.2.1).
 */
#define PMU_CTL_USR (1u << 16)
#define PMU_CTL_OS  (1u << 17)

struct pmu_event {
	/* libpfm4's name of the event; "": libpfm4 lacks the event; NULL: the slot is unused */
	const char *name;
	uint64_t ctl;		/* value of the control register as shown by key CTLn */
	/* members of struct perf_event_attr */
	uint64_t config, config1;
	const char *pmu;	/* PMU of the event if it is not that of the unit; else NULL */
	/* file in the PMU's events/ that shows if the kernel can count the event, or NULL */
	const char *alias;
	uint64_t config2;
	/* perf_event_attr.type (enum perf_type_id) + 1; 0: use the number of the PMU */
	unsigned abi_type;
	/*
	 * mask of LIBPFM_NO_...: modes in which the event does not count, in addition to those that
	 * .ctl leaves out
	 */
	unsigned exclude;
};

enum pmu_scope {
	PMU_PER_CPU,		/* each logical CPU is a device, such as "11" */
	PMU_PER_PACKAGE,	/* each package is a device, such as "0" */
	PMU_PER_BOX,		/* each box is a device, such as "0/3" for box 3 of package 0 */
	/* each package is a device, with the number of the CPU that reads it as its name */
	PMU_BY_CPU,
};

enum pmu_threads {
	PMU_ALWAYS,
	/* only if each core has one thread, which can use all counters of the core */
	PMU_NO_HT,
	PMU_HT,		/* only if each core has several threads, which share its counters */
};

/* A kind of counting device of a processor, such as its cores, and the events to count. */
struct pmu_unit {
	const char *type;	/* type of the rows */
	/*
	 * the kernel's name of the PMU: "cpu"; "uncore_imc" for uncore_imc_3, too; "armv8_" for the
	 * first PMU with this prefix; NULL for PERF_TYPE_HARDWARE
	 */
	const char *pmu;
	const char *libpfm;	/* the PMU's name in libpfm4 */
	enum pmu_scope scope;
	enum pmu_threads threads;
	/* for a unit that is a part of a box: suffix of the device's name; NULL: a whole box */
	const char *part;
	/* leave out events for which the group has no counter; otherwise the group is not opened */
	bool as_fits;
	/* the unit is only for CPUs with number % .turns == .turn; .turns 0: for all CPUs */
	unsigned turns, turn;
	struct pmu_event event[PMU_EVENTS];
	struct pmu_event fixed[PMU_FIXED];
};

/* A processor: FILE.c, listed in pmu.am, defines pmu_FILE. */
struct pmu_processor {
	const char *name;	/* display name: "Intel Sandy Bridge" */
	enum pmu_vendor vendor;
	unsigned family;
	/*
	 * Ranges of model numbers; the first range may be 0 to 0. flop_cycle is the maximum number
	 * of 64-bit operations of a core per cycle, a multiply-add counting as two (optimization
	 * manuals of Intel, AMD and Arm); 0: unknown, or not the same for all models.
	 */
	struct { uint16_t first, last, flop_cycle; } models[8];
	const struct pmu_unit *units;
	size_t n_units;

	/*
	 * With hyper-threading, Linux lets each thread use only half of a core's counters, to work
	 * around an erratum (since 4.1, x86_schedule_events()). So a group that needs all counters
	 * never runs.
	 */
	bool lends_half;
};

#define PMU_UNITS(table) .units = (table), .n_units = ARRAY_SIZE(table)

extern const struct pmu_processor *const pmu_processors[];
extern const size_t n_pmu_processors;

bool pmu_processor_is(const struct pmu_processor *p, struct pmu_cpuid id);
/*
 * Return .flop_cycle of the processor's table: the maximum number of 64-bit operations of a core
 * per cycle; 0: unknown.
 */
unsigned pmu_flop_cycle(struct pmu_cpuid id);
/* Returns true if the processor has units of this type. */
bool pmu_processor_has(const struct pmu_processor *p, const char *type);

/*
 * Parse the first processor in the text of /proc/cpuinfo. Returns false if the processor is
 * unknown.
 */
bool pmu_take_cpuid(struct str cpuinfo, struct pmu_cpuid *ret);

/* Get the processor from /proc/cpuinfo. The vendor is PMU_ANY if the processor is unknown. */
struct pmu_cpuid pmu_look_at_processor(const struct files *root);

#define PMU_CPUS_MAX 8192	/* NR_CPUS of the largest kernels */

/* Split off a range of CPUs from a list such as "0-3,8", see str_take_range(). */
static inline bool pmu_take_range(struct str *list, unsigned *first, unsigned *last)
{
	return str_take_range(list, PMU_CPUS_MAX, first, last);
}

/*
 * Collect a type of counters (struct collector, .collect). The last two metrics of a type are
 * time_enabled and time_running; rows have them only if the counters are shared with other
 * programs.
 */
#define PMU_TIME_KEYS 2
int pmu_collect(struct source *s);

struct named_type;
const struct collector *named_collector(struct named_type *t);

/*
 * A counter that the last sample read, or failed to open. The strings are valid until the next
 * sample.
 */
struct pmu_counter {
	const char *device, *key;
	const char *pmu;	/* the kernel's name of the PMU in /sys/bus/event_source/devices */
	/* the PMU's number, and members of struct perf_event_attr */
	uint32_t type;
	uint64_t config, config1;
	int cpu;
};

/* Get counter i of the last sample of pmu_collect(). Returns false after the last counter. */
bool pmu_planned(const struct source *s, size_t i, struct pmu_counter *ret);
