/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_sw.c - type ib_sw: InfiniBand ports, counted by their switch */
#include "schema/type.h"
#include "schema/types/ib_sw.h"

static const struct metric metrics[] = {
	{ "rx_bytes",   COUNTER, "4B", "received by this node"         },
	{ "rx_packets", COUNTER, "",   "packets received by this node" },
	{ "tx_bytes",   COUNTER, "4B", "sent by this node"             },
	{ "tx_packets", COUNTER, "",   "packets sent by this node"     },
};
_Static_assert(ARRAY_SIZE(metrics) == IB_SW_KEYS, "as the collector has it");

const struct type ib_sw_type = {
	.name    = "ib_sw",
	.about   = "InfiniBand ports, counted by their switch",
	.source  = "PortCountersExtended of the switch, by libibmad and /dev/infiniband/umadN",
	.device  = "this node's adapter and port: mlx5_0/1",
	.isolate = true,
	METRICS(metrics),
};
