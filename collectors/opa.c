/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * opa - traffic and errors of each active Omni-Path port, as far as /sys/class/infiniband has them
 *
 * hpcperfstats asks the port itself (OPA DataPortCounters) and has what congestion does, too. The
 * files have four of its keys; its others are missing here, as are those files that the driver
 * fills with 0 whatever happened: symbol_error, VL15_dropped, port_xmit_wait, port_rcv_errors ...
 * (pma_get_ib_portcounters() in drivers/infiniband/hw/hfi1/mad.c).
 */
#include "collectors/collector.h"

#include "collectors/ib_ports.h"

/* Data is in flits of 8 bytes, 64 bits wide. hpcperfstats has no U= for them. */
static const struct metric metrics[] = {
	{ "PortXmitData", COUNTER, "", "sent, in flits of 8 bytes", .key = "port_xmit_data" },
	{ "PortRcvData", COUNTER, "", "received, in flits of 8 bytes", .key = "port_rcv_data" },
	{ "PortXmitPkts", COUNTER, "", "packets sent", .key = "port_xmit_packets" },
	{ "PortRcvPkts", COUNTER, "", "packets received", .key = "port_rcv_packets" },
	{ "link_downed", COUNTER, "", "link failures; stops at 255" },
	{ "link_error_recovery", COUNTER, "", "link recoveries; stops at 255" },
	{ "port_xmit_discards", COUNTER, "", "port down or congested; stops at 65535" },
	{ "port_xmit_constraint_errors", COUNTER, "", "not sent, not allowed; stops at 255" },
	{ "port_rcv_constraint_errors", COUNTER, "", "received, not allowed; stops at 255" },
	{ "local_link_integrity_errors", COUNTER, "", "replays by the link; stops at 15" },
	{ "excessive_buffer_overrun_errors", COUNTER, "", "buffer overruns; stops at 15" },
};

static const struct port_type type = {
	OMNI_PATH, '/', false, { { "counters", NULL, NULL } },
};

const struct collector opa_collector = {
	.name    = "opa",
	.summary = "Omni-Path ports",
	.source  = "/sys/class/infiniband/HFI/ports/PORT/counters/KEY",
	.device  = "adapter and port: hfi1_0/1",
	.collect = ib_ports_collect,
	.data    = &type,
	METRICS(metrics),
};
