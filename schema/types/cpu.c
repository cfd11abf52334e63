/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu.c - type cpu: processor time by mode */
#include "schema/type.h"

/*
 * Columns in the order of /proc/stat, in ticks of 1/100 s (Documentation/filesystems/proc.rst,
 * 1.7).
 */
static const struct metric metrics[] = {
	{ "user",    COUNTER, "cs", "user mode, virtual processors included" },
	{ "nice",    COUNTER, "cs", "user mode at low priority"              },
	{ "system",  COUNTER, "cs", "kernel mode"                            },
	{ "idle",    COUNTER, "cs", "idle"                                   },
	{ "iowait",  COUNTER, "cs", "idle with I/O outstanding"              },
	{ "irq",     COUNTER, "cs", "hardware interrupts"                    },
	{ "softirq", COUNTER, "cs", "software interrupts"                    },
};

const struct type cpu_type = {
	.name    = "cpu",
	.about   = "processor time by mode",
	.source  = "/proc/stat, line cpuN, in this order",
	.device  = "logical CPU",
	METRICS(metrics),
};
