/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thermal_throttle - how often heat slowed a CPU down, from /sys/devices/system/cpu
 *
 * Off unless the configuration asks for it: two open files and two reads per CPU, which a node of
 * 256 CPUs pays in every sample for numbers that should never change.
 */
#include "collectors/collector.h"

#include "collectors/value_files.h"

/* arch/x86/kernel/cpu/mce/therm_throt.c: Intel only. */
#define FILES "thermal_throttle/"
static const struct metric metrics[] = {
	{ "core",    COUNTER, "", "times its core got too hot", FILES "core_throttle_count"    },
	{ "package", COUNTER, "", "times its package did",      FILES "package_throttle_count" },
};

const struct collector thermal_throttle_collector = {
	.name    = "thermal_throttle",
	.summary = "CPUs slowed down by heat",
	.source  = "/sys/devices/system/cpu/cpuN/KEY",
	.device  = "logical CPU",
	.collect = value_files_collect,
	.data    = &(const struct value_files){ "sys/devices/system/cpu", "cpu", true },
	.off     = true,
	METRICS(metrics),
};
