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
const struct collector thermal_throttle_collector = {
	.type    = &thermal_throttle_type,
	.collect = value_files_collect,
	.data    = &(const struct value_files){ "sys/devices/system/cpu", "cpu", true },
};
