/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_ext.c - type ib_ext: InfiniBand ports, counted with 64 bits */
#include "schema/type.h"
#include "schema/types/ib_ext.h"

static const struct metric metrics[] = {
	{ "port_xmit_data",           COUNTER, "4B", "sent"                       },
	{ "port_rcv_data",            COUNTER, "4B", "received"                   },
	{ "port_xmit_pkts",           COUNTER, "",   "packets sent"               },
	{ "port_rcv_pkts",            COUNTER, "",   "packets received"           },
	{ "port_unicast_xmit_pkts",   COUNTER, "",   "unicast packets sent"       },
	{ "port_unicast_rcv_pkts",    COUNTER, "",   "unicast packets received"   },
	{ "port_multicast_xmit_pkts", COUNTER, "",   "multicast packets sent"     },
	{ "port_multicast_rcv_pkts",  COUNTER, "",   "multicast packets received" },
};
_Static_assert(ARRAY_SIZE(metrics) == IB_EXT_KEYS, "one file for each metric");

const char *const ib_ext_old[IB_EXT_KEYS] = {
	"port_xmit_data_64", "port_rcv_data_64", "port_xmit_packets_64", "port_rcv_packets_64",
	"port_unicast_xmit_packets", "port_unicast_rcv_packets",
	"port_multicast_xmit_packets", "port_multicast_rcv_packets",
};

const char *const ib_ext_new[IB_EXT_KEYS] = {
	"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets",
	"unicast_xmit_packets", "unicast_rcv_packets",
	"multicast_xmit_packets", "multicast_rcv_packets",
};

static void ib_ext_put_source(const struct type *t, size_t key, struct buf *to)
{
	(void)t;
	buf_addf(to, IB_EXT_OLD "/%s or " IB_EXT_NEW "/%s", ib_ext_old[key], ib_ext_new[key]);
}

const struct type ib_ext_type = {
	.name    = "ib_ext",
	.about   = "InfiniBand ports, in 64 bits",
	.source  = "/sys/class/infiniband/HCA/ports/PORT/KEY",
	.device  = "adapter and port: mlx5_0/1",
	.where   = ib_ext_put_source,
	METRICS(metrics),
};
