/* SPDX-License-Identifier: BSD-3-Clause */
/* lnet - what Lustre's network layer sent and received, from its stats file */
#include "collectors/collector.h"

#include "collectors/lustre.h"

static const struct metric metrics[] = {
	{ "tx_msgs",          COUNTER, "",  "messages sent"                           },
	{ "rx_msgs",          COUNTER, "",  "messages received"                       },
	{ "rx_msgs_dropped",  COUNTER, "",  "messages received and thrown away"       },
	{ "tx_bytes",         COUNTER, "B", "sent"                                    },
	{ "rx_bytes",         COUNTER, "B", "received"                                },
	{ "rx_bytes_dropped", COUNTER, "",  "bytes that were received and thrown away" },
};

/*
 * Eleven numbers: messages now, at most, errors; sent, received, routed, dropped as messages, then
 * as bytes (lnet/lnet/router_proc.c: __proc_lnet_stats()).
 */
static const unsigned char column[] = { 3, 4, 6, 7, 8, 10 };
_Static_assert(ARRAY_SIZE(column) == ARRAY_SIZE(metrics), "one column each");

static int collect(struct sample *s)
{
	struct str text;
	uint64_t number[11];
	int r = sample_read(s, "proc/sys/lnet/stats", &text);
	if (r < 0)
		r = sample_read(s, "sys/kernel/debug/lnet/stats", &text);
	if (r < 0)
		return lustre_absent(s, "proc/sys/lnet", "sys/kernel/debug/lnet", r);

	for (size_t i = 0; i < ARRAY_SIZE(number); i++)
		if (!str_take_u64(&text, &number[i]))
			return sample_absent(s, "the stats file has fewer than 11 numbers");
	struct row row = sample_row(s, STR("-"));
	for (size_t i = 0; i < ARRAY_SIZE(column); i++)
		row_set(row, i, number[column[i]]);
	return 0;
}

static void where(const struct collector *c, size_t key, struct buf *to)
{
	(void)c;
	buf_addf(to, "number %d", column[key] + 1);
}

const struct collector lnet_collector = {
	.name    = "lnet",
	.summary = "Lustre's network traffic",
	.source  = "/proc/sys/lnet/stats or /sys/kernel/debug/lnet/stats",
	.device  = "the whole node",
	.collect = collect,
	.where   = where,
	METRICS(metrics),
};
