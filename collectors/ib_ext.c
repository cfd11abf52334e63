/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ib_ext - traffic of each active InfiniBand port where it is counted in 64 bits
 *
 * The keys are those of hpcperfstats without port_select and counter_select: these are fields of a
 * question to the port that the kernel asks here, and does not show.
 */
#include "collectors/collector.h"

#include "collectors/ib_ports.h"

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

/* Kernels before 4.5, and Mellanox' own drivers for ConnectX-3. */
static const char *const in_counters_ext[] = {
	"port_xmit_data_64", "port_rcv_data_64", "port_xmit_packets_64", "port_rcv_packets_64",
	"port_unicast_xmit_packets", "port_unicast_rcv_packets",
	"port_multicast_xmit_packets", "port_multicast_rcv_packets",
};
_Static_assert(ARRAY_SIZE(in_counters_ext) == ARRAY_SIZE(metrics), "one file for each metric");

/*
 * Since 4.5 the files of the 32-bit counters have 64 bits where the adapter counts so. That the
 * port has unicast_xmit_packets proves it: the kernel takes all eight from PortCountersExtended, or
 * none (get_counter_table() in drivers/infiniband/core/sysfs.c). An adapter that counts data in 64
 * bits without those four cannot be told from one of 32: it is in ib only.
 */
static const char *const in_counters[] = {
	"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets",
	"unicast_xmit_packets", "unicast_rcv_packets",
	"multicast_xmit_packets", "multicast_rcv_packets",
};
_Static_assert(ARRAY_SIZE(in_counters) == ARRAY_SIZE(metrics), "one file for each metric");

static const struct port_type type = {
	NOT_OMNI_PATH, '/', false, {
		{ "counters_ext", "port_xmit_data_64", in_counters_ext },
		{ "counters", "unicast_xmit_packets", in_counters },
	},
};

const struct collector ib_ext_collector = {
	.name    = "ib_ext",
	.summary = "InfiniBand ports, in 64 bits",
	.source  = "/sys/class/infiniband/HCA/ports/PORT/KEY",
	.device  = "adapter and port: mlx5_0/1",
	.collect = ib_ports_collect,
	.where   = ib_ports_where,
	.data    = &type,
	METRICS(metrics),
};
