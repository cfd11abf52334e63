/* SPDX-License-Identifier: BSD-3-Clause */
/* sysfs.h - read the properties of PMUs and CPUs (sysfs-bus-event_source-devices-*) */
#pragma once

#include "collectors/pmu/pmu.h"

#define PMU_SOURCES   "sys/bus/event_source/devices"
#define PMU_RANGE_MAX 32

/*
 * Read the kernel's number of a PMU, for perf_event_attr.type. Returns 0, or -ENOENT with the
 * reason in s->why.
 */
int pmu_read_type(struct source *s, const char *pmu, uint32_t *ret) MUST_CHECK;
/*
 * Read the kernel's number of a core's PMU; pmu is NULL for the kernel's own events. If a captured
 * tree has no PMUs, use the number of "cpu", which never changes.
 */
int pmu_read_core_type(struct source *s, const char *pmu, uint32_t *ret) MUST_CHECK;
/*
 * Find the first PMU with a name that starts with prefix. ARM's core PMU is armv8_pmuv3_0,
 * armv8_pmuv3 or armv8_neoverse_n1 (drivers/perf/arm_pmuv3.c).
 */
bool pmu_first(struct source *s, const char *prefix, char *to, size_t size);
/* Report that the PMU does not exist. Returns -ENOENT. */
int pmu_no_source(struct source *s, const char *pmu);

/*
 * Read the PMU's cpumask, such as "0,10": one CPU per package, on which the PMU's counters must be
 * opened.
 */
bool pmu_read_cpumask(struct source *s, const char *pmu, char *to, size_t size);

/*
 * Returns true if this kernel can count the event: the PMU's directory events/ has the file .alias.
 */
bool pmu_can_count(struct source *s, const struct pmu_event *e);

/*
 * Read the list of online CPUs, such as "0-3,8". If a captured tree lacks the kernel's list, use
 * the CPUs in its /proc/cpuinfo: *ret then points to fallback. Otherwise *ret is valid until the
 * next read. Returns 0 or -errno.
 */
int pmu_read_online(struct source *s, char fallback[PMU_RANGE_MAX], struct str *ret) MUST_CHECK;

/*
 * Returns true if hyper-threading is on in the firmware. Then the threads of a core share its
 * counters, even if some threads are offline. cpuinfo is the text of /proc/cpuinfo.
 */
bool pmu_has_threads(struct source *s, struct str cpuinfo);
