/* SPDX-License-Identifier: BSD-3-Clause */
/* cpufreq.c - type cpufreq: clocks of CPUs */
#include "schema/type.h"
#include "schema/types/cpufreq.h"

/*
 * The files are described in admin-guide/pm/cpufreq.rst and cpu-freq/cpufreq-stats.rst, both in
 * Linux' Documentation/.
 */
static const struct metric metrics[] = {
	{ "scaling_cur_freq", GAUGE,   "kHz", "clock now, or as last set",
	  "cpufreq/scaling_cur_freq" },
	{ "total_trans",      COUNTER, "",    "times it was set to another clock",
	  "cpufreq/stats/total_trans" },
	{ "cycles",           COUNTER, "",    "cycles at the clocks that were set, idle or not",
	  "cpufreq/stats/time_in_state, the sum of clock times time" },
	{ "scaling_min_freq", GAUGE,   "kHz", "lowest clock that the governor may set",
	  "cpufreq/scaling_min_freq" },
	{ "scaling_max_freq", GAUGE,   "kHz", "highest clock that the governor may set",
	  "cpufreq/scaling_max_freq" },
};

const struct type cpufreq_type = {
	.name    = "cpufreq",
	.about   = "clocks of CPUs",
	.source  = "/sys/devices/system/cpu/cpuN/KEY",
	.device  = "logical CPU",
	.off     = true,
	METRICS(metrics),
};
