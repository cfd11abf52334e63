/* SPDX-License-Identifier: BSD-3-Clause */
/* opa.c - type opa: Omni-Path ports */
#include "schema/type.h"

/*
 * Data are counted in flits of 8 bytes, by 64-bit counters. The keys have no unit, as in
 * hpcperfstats.
 */
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

const struct type opa_type = {
	.name    = "opa",
	.about   = "Omni-Path ports",
	.source  = "/sys/class/infiniband/HFI/ports/PORT/counters/KEY",
	.device  = "adapter and port: hfi1_0/1",
	METRICS(metrics),
};
