/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thermal_throttle - how often heat slowed a CPU down, from /sys/devices/system/cpu
 *
 * Off by default, because each sample reads two files per CPU, which is expensive on a node with
 * 256 CPUs, although the numbers should never change.
 */
#include "collectors/collector.h"

#include "collectors/value_files.h"

/* Intel only: arch/x86/kernel/cpu/mce/therm_throt.c. */
const struct collector thermal_throttle_collector = {
	.type    = &thermal_throttle_type,
	.collect = value_files_collect,
	.data    = &(const struct value_files){ "sys/devices/system/cpu", "cpu", true },
};
