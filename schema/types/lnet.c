/* SPDX-License-Identifier: BSD-3-Clause */
/* lnet.c - type lnet: network traffic of Lustre */
#include "schema/type.h"
#include "schema/types/lnet.h"

static const struct metric metrics[] = {
	{ "tx_msgs",          COUNTER, "",  "messages sent"                           },
	{ "rx_msgs",          COUNTER, "",  "messages received"                       },
	{ "rx_msgs_dropped",  COUNTER, "",  "messages received and thrown away"       },
	{ "tx_bytes",         COUNTER, "B", "sent"                                    },
	{ "rx_bytes",         COUNTER, "B", "received"                                },
	{ "rx_bytes_dropped", COUNTER, "",  "bytes that were received and thrown away" },
};
_Static_assert(ARRAY_SIZE(metrics) == LNET_KEYS, "as the collector has it");

const unsigned char lnet_column[LNET_KEYS] = { 3, 4, 6, 7, 8, 10 };

static void lnet_put_source(const struct type *t, size_t key, struct buf *to)
{
	(void)t;
	buf_addf(to, "number %d", lnet_column[key] + 1);
}

const struct type lnet_type = {
	.name    = "lnet",
	.about   = "Lustre's network traffic",
	.source  = "/proc/sys/lnet/stats or /sys/kernel/debug/lnet/stats",
	.device  = "the whole node",
	.where   = lnet_put_source,
	METRICS(metrics),
};
