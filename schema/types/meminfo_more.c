/* SPDX-License-Identifier: BSD-3-Clause */
/* meminfo_more.c - type meminfo_more: limits, mappings and settings of the node's memory */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "CommitLimit", GAUGE, "KB", "most that programs may allocate (overcommit_memory 2)" },
	{ "Committed_AS", GAUGE, "KB", "allocated by programs, touched or not" },
	{ "VmallocTotal", GAUGE, "KB", "address space of the kernel's virtual mappings" },
	{ "VmallocUsed", GAUGE, "KB", "of it, in use" },
	{ "VmallocChunk", GAUGE, "KB", "largest free piece of it; 0 since 4.4" },
	{ "Percpu", GAUGE, "KB", "the kernel's data per CPU (since 4.18)" },
	{ "HardwareCorrupted", GAUGE, "KB", "withdrawn because of memory errors" },
	{ "HugePages_Rsvd", GAUGE, "", "huge pages promised, not allocated yet" },
	{ "Hugepagesize", GAUGE, "KB", "default size of a huge page" },
	{ "DirectMap4k", GAUGE, "KB", "mapped by the kernel in pages of 4 KB" },
	{ "DirectMap2M", GAUGE, "KB", "mapped by the kernel in pages of 2 MB" },
	{ "DirectMap1G", GAUGE, "KB", "mapped by the kernel in pages of 1 GB" },
};

const struct type meminfo_more_type = {
	.name    = "meminfo_more",
	.about   = "limits, mappings and settings of the node's memory",
	.source  = "/proc/meminfo, line KEY",
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
