/* SPDX-License-Identifier: BSD-3-Clause */
/* meminfo - what type meminfo is: memory of the whole node that no NUMA node's file has */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "MemAvailable", GAUGE, "KB", "for programs, without swapping (since 3.14)" },
};

const struct type meminfo_type = {
	.name    = "meminfo",
	.about   = "memory that programs can still get",
	.source  = "/proc/meminfo, line KEY",
	.device  = "the whole node",
	METRICS(metrics),
};
