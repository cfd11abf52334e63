/* SPDX-License-Identifier: BSD-3-Clause */
/* ib.c - type ib: InfiniBand ports */
#include "schema/type.h"

/*
 * The keys for data and packets have no width (.bits): depending on the adapter, the same files
 * have 32 or 64 bits (pma_attrs_ext and pma_attrs_noietf in the kernel's table). All counters stop
 * at their largest value instead of wrapping (IBTA, PortCounters). Error counters have 4, 8 or 16
 * bits, port_xmit_wait has 32.
 */
static const struct metric metrics[] = {
	{ "excessive_buffer_overrun_errors", COUNTER, "", "buffer overruns; stops at 15",
	  .bits = 32 },
	{ "link_downed", COUNTER, "", "link failures; stops at 255", .bits = 32 },
	{ "link_error_recovery", COUNTER, "", "link recoveries; stops at 255", .bits = 32 },
	{ "local_link_integrity_errors", COUNTER, "", "bursts of local errors; stops at 15",
	  .bits = 32 },
	{ "port_rcv_constraint_errors", COUNTER, "", "received, not allowed; stops at 255",
	  .bits = 32 },
	{ "port_rcv_data", COUNTER, "4B", "received" },
	{ "port_rcv_errors", COUNTER, "", "bad packets received; stops at 65535", .bits = 32 },
	{ "port_rcv_packets", COUNTER, "", "packets received" },
	{ "port_rcv_remote_physical_errors", COUNTER, "", "a switch had marked bad; stops at 65535",
	  .bits = 32 },
	{ "port_rcv_switch_relay_errors", COUNTER, "", "not forwarded; stops at 65535",
	  .bits = 32 },
	{ "port_xmit_constraint_errors", COUNTER, "", "not sent, not allowed; stops at 255",
	  .bits = 32 },
	{ "port_xmit_data", COUNTER, "4B", "sent" },
	{ "port_xmit_discards", COUNTER, "", "port down or congested; stops at 65535", .bits = 32 },
	{ "port_xmit_packets", COUNTER, "", "packets sent" },
	{ "port_xmit_wait", COUNTER, "ms", "ticks of waiting with data to send, not ms",
	  .bits = 32 },
	{ "symbol_error", COUNTER, "", "bad symbols; stops at 65535", .bits = 32 },
	{ "VL15_dropped", COUNTER, "", "management packets dropped; stops at 65535", .bits = 32 },
	{ "unicast_rcv_packets", COUNTER, "", "unicast packets received" },
	{ "unicast_xmit_packets", COUNTER, "", "unicast packets sent" },
	{ "multicast_rcv_packets", COUNTER, "", "multicast packets received" },
	{ "multicast_xmit_packets", COUNTER, "", "multicast packets sent" },
	{ "port_rcv_discards", COUNTER, "", "received and dropped; few drivers have it" },
};

const struct type ib_type = {
	.name    = "ib",
	.about   = "InfiniBand ports",
	.source  = "/sys/class/infiniband/HCA/ports/PORT/counters/KEY",
	.device  = "adapter and port: mlx5_0.1",
	METRICS(metrics),
};
