/* SPDX-License-Identifier: BSD-3-Clause */
/* block.c - type block: disk input and output */
#include "schema/type.h"

/*
 * Columns in the order of the file "stat" of a disk (Documentation/block/stat.rst). Newer kernels
 * have more columns at the end. Times are unsigned int in the kernel (block/genhd.c,
 * part_stat_show): time_in_queue wraps after 50 days with one request in flight.
 */
#define TIME .bits = 32

static const struct metric metrics[] = {
	{ "rd_ios",        COUNTER, "",     "reads done"                                     },
	{ "rd_merges",     COUNTER, "",     "reads merged with one that waited"              },
	{ "rd_sectors",    COUNTER, "512B", "read"                                           },
	{ "rd_ticks",      COUNTER, "ms",   "time of all reads, waiting included", TIME },
	{ "wr_ios",        COUNTER, "",     "writes done"                                    },
	{ "wr_merges",     COUNTER, "",     "writes merged with one that waited"             },
	{ "wr_sectors",    COUNTER, "512B", "written"                                        },
	{ "wr_ticks",      COUNTER, "ms",   "time of all writes, waiting included", TIME },
	{ "in_flight",     GAUGE,   "",     "requests in progress"                          },
	{ "io_ticks",      COUNTER, "ms",   "time during which the disk was busy", TIME },
	{ "time_in_queue", COUNTER, "ms",   "time of all requests, waiting included", TIME },
};

const struct type block_type = {
	.name    = "block",
	.about   = "disk input and output",
	.source  = "/sys/block/DISK/stat, in this order",
	.device  = "disk, by the name in /sys/block",
	METRICS(metrics),
};
