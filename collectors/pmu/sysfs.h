/* SPDX-License-Identifier: BSD-3-Clause */
/* sysfs.h - what the kernel says of PMUs and CPUs (sysfs-bus-event_source-devices-*) */
#pragma once

#include "collectors/pmu/pmu.h"

#define PMU_SOURCES   "sys/bus/event_source/devices"
#define PMU_RANGE_MAX 32

/* The number of a PMU, or -ENOENT with the reason. */
int pmu_read_type(struct source *s, const char *pmu, uint32_t *ret) MUST_CHECK;
/*
 * The same of a core's; NULL: the kernel's own events. A captured tree may lack the folder as a
 * whole: the number of "cpu" is part of the ABI.
 */
int pmu_read_core_type(struct source *s, const char *pmu, uint32_t *ret) MUST_CHECK;
/*
 * Of cores: the first PMU whose name starts with prefix. That of ARM's is armv8_pmuv3_0 where
 * ACPI tells of it, armv8_pmuv3 or armv8_neoverse_n1 where a device tree does
 * (drivers/perf/arm_pmuv3.c).
 */
bool pmu_first(struct source *s, const char *prefix, char *to, size_t size);
int pmu_no_source(struct source *s, const char *pmu);	/* says that there is no such PMU */

/* The CPUs, one of each package, on which a PMU's counters are opened: "0,10". */
bool pmu_read_cpumask(struct source *s, const char *pmu, char *to, size_t size);

/* The kernel lists in events/ what it can count here; what is missing there is no key of ours. */
bool pmu_can_count(struct source *s, const struct pmu_event *e);

/* CPUs: "0-3,8". A captured tree that lacks the file has those of its /proc/cpuinfo. */
int pmu_read_online(struct source *s, char fallback[PMU_RANGE_MAX], struct str *ret) MUST_CHECK;

/*
 * Whether the threads of a core share its counters, by the firmware's setting, which taking a
 * thread off-line (smt/control "off") does not change. The text is /proc/cpuinfo's.
 */
bool pmu_has_threads(struct source *s, struct str cpuinfo);
