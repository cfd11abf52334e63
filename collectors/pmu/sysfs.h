/* SPDX-License-Identifier: BSD-3-Clause */
/* sysfs.h - read the properties of PMUs and CPUs (sysfs-bus-event_source-devices-*) */
#pragma once

#include "collectors/pmu/pmu.h"

#define PMU_SOURCES   "sys/bus/event_source/devices"
#define PMU_RANGE_MAX 32

/* Read the kernel's number of a PMU. Returns 0, or -ENOENT with the reason in s->why. */
int pmu_read_type(struct source *s, const char *pmu, uint32_t *ret) MUST_CHECK;
/*
 * Read the number of a core's PMU; pmu is NULL for the kernel's own events. If a captured tree
 * lacks the whole directory of PMUs, use the number of "cpu", which is part of the kernel's ABI.
 */
int pmu_read_core_type(struct source *s, const char *pmu, uint32_t *ret) MUST_CHECK;
/*
 * Find the first PMU whose name starts with prefix. ARM's core PMU is armv8_pmuv3_0 on machines
 * with ACPI, and armv8_pmuv3 or armv8_neoverse_n1 with a device tree (drivers/perf/arm_pmuv3.c).
 */
bool pmu_first(struct source *s, const char *prefix, char *to, size_t size);
/* reports that the PMU does not exist; returns -ENOENT */
int pmu_no_source(struct source *s, const char *pmu);

/*
 * Read the list of CPUs, one per package, on which a PMU's counters must be opened, such as "0,10".
 */
bool pmu_read_cpumask(struct source *s, const char *pmu, char *to, size_t size);

/*
 * Returns true if this kernel can count the event. If events/ lacks the event's alias, the kernel
 * cannot.
 */
bool pmu_can_count(struct source *s, const struct pmu_event *e);

/*
 * Read the list of online CPUs, such as "0-3,8". If a captured tree lacks the file, the list has
 * the CPUs of the tree's /proc/cpuinfo.
 */
int pmu_read_online(struct source *s, char fallback[PMU_RANGE_MAX], struct str *ret) MUST_CHECK;

/*
 * Returns true if the threads of a core share its counters. This depends on the firmware's setting,
 * and taking a thread offline (smt/control "off") does not change it. cpuinfo is the text of
 * /proc/cpuinfo.
 */
bool pmu_has_threads(struct source *s, struct str cpuinfo);
