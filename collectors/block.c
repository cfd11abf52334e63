/* SPDX-License-Identifier: BSD-3-Clause */
/* block - input and output of each disk, from /sys/block */
#include "collectors/collector.h"

/* In the file's own order: Documentation/block/stat.rst. Newer kernels have more behind these. */
static const struct metric metrics[] = {
	{ "rd_ios",        COUNTER, "",     "reads done"                                     },
	{ "rd_merges",     COUNTER, "",     "reads merged with one that waited"              },
	{ "rd_sectors",    COUNTER, "512B", "read"                                           },
	{ "rd_ticks",      COUNTER, "ms",   "time of all reads, waiting included"            },
	{ "wr_ios",        COUNTER, "",     "writes done"                                    },
	{ "wr_merges",     COUNTER, "",     "writes merged with one that waited"             },
	{ "wr_sectors",    COUNTER, "512B", "written"                                        },
	{ "wr_ticks",      COUNTER, "ms",   "time of all writes, waiting included"           },
	{ "in_flight",     GAUGE,   "",     "requests on their way"                          },
	{ "io_ticks",      COUNTER, "ms",   "time during which the disk was busy"            },
	{ "time_in_queue", COUNTER, "ms",   "time of all requests, waiting included"         },
};

static bool is_disk(struct str name)
{
	return !str_starts(name, STR("ram")) && !str_starts(name, STR("loop"));
}

static void collect_disk(struct sample *s, const char *name)
{
	struct str text;
	uint64_t v;
	size_t i = 0;
	if (sample_read_in(s, "sys/block", name, "stat", &text) < 0)
		return;		/* it has gone: the others are still there */

	struct row row = sample_row(s, str_of(name));
	for (; i < ARRAY_SIZE(metrics) && str_take_u64(&text, &v); i++)
		row_set(row, i, v);
	if (i < ARRAY_SIZE(metrics))
		sample_drop_row(s);
}

static int collect(struct sample *s)
{
	int n = sample_devices(s, "sys/block", "");
	if (n < 0)
		return n;

	for (int i = 0; i < n; i++)
		if (is_disk(str_of(sample_device_name(s, (size_t)i))))
			collect_disk(s, sample_device_name(s, (size_t)i));
	return s->n_rows ? 0 : sample_absent(s, "/sys/block has no disk with a stat file");
}

const struct collector block_collector = {
	.name    = "block",
	.summary = "disk input and output",
	.source  = "/sys/block/DISK/stat, in this order",
	.device  = "disk, by the name in /sys/block",
	.collect = collect,
	METRICS(metrics),
};
