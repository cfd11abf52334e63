/* SPDX-License-Identifier: BSD-3-Clause */
/* meminfo.c - type meminfo: memory values of the whole node that the files of NUMA nodes lack */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "MemAvailable", GAUGE, "KB", "for programs, without swapping (since 3.14)"      },
	{ "Buffers",      GAUGE, "KB", "page cache of block devices: metadata of files"   },
	{ "Cached",       GAUGE, "KB", "page cache of files, shared memory and tmpfs"     },
	{ "SwapTotal",    GAUGE, "KB", "size of all swap areas"                           },
	{ "SwapFree",     GAUGE, "KB", "of it, not used"                                  },
};

const struct type meminfo_type = {
	.name    = "meminfo",
	.about   = "memory that programs can still get",
	.source  = "/proc/meminfo, line KEY",
	.device  = "the whole node",
	METRICS(metrics),
};
