/* SPDX-License-Identifier: BSD-3-Clause */
/* block - what type block is: disk input and output */
#include "schema/type.h"

/* In the file's own order: Documentation/block/stat.rst. Newer kernels have more after these. */
static const struct metric metrics[] = {
	{ "rd_ios",        COUNTER, "",     "reads done"                                     },
	{ "rd_merges",     COUNTER, "",     "reads merged with one that waited"              },
	{ "rd_sectors",    COUNTER, "512B", "read"                                           },
	{ "rd_ticks",      COUNTER, "ms",   "time of all reads, waiting included"            },
	{ "wr_ios",        COUNTER, "",     "writes done"                                    },
	{ "wr_merges",     COUNTER, "",     "writes merged with one that waited"             },
	{ "wr_sectors",    COUNTER, "512B", "written"                                        },
	{ "wr_ticks",      COUNTER, "ms",   "time of all writes, waiting included"           },
	{ "in_flight",     GAUGE,   "",     "requests in progress"                          },
	{ "io_ticks",      COUNTER, "ms",   "time during which the disk was busy"            },
	{ "time_in_queue", COUNTER, "ms",   "time of all requests, waiting included"         },
};

const struct type block_type = {
	.name    = "block",
	.about   = "disk input and output",
	.source  = "/sys/block/DISK/stat, in this order",
	.device  = "disk, by the name in /sys/block",
	METRICS(metrics),
};
