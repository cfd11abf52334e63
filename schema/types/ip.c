/* SPDX-License-Identifier: BSD-3-Clause */
/* ip.c - type ip: packets of the Internet protocols */
#include "schema/type.h"

/*
 * The keys have nodometer's names; the collector (collectors/ip.c) maps the names in the kernel's
 * files to them.
 */
static const struct metric metrics[] = {
	{ "in_delivers",    COUNTER, "", "packets that arrived for this node" },
	{ "out_requests",   COUNTER, "", "packets that this node sent" },
	{ "forwarded",      COUNTER, "", "packets forwarded" },
	{ "out_discards",   COUNTER, "", "packets not sent as there was no room" },
	{ "rcvbuf_errors",  COUNTER, "", "UDP datagrams for which there was no room" },
};

const struct type ip_type = {
	.name    = "ip",
	.about   = "packets of the Internet protocols",
	.source  = "/proc/net/snmp, lines Ip: and Udp:, and the same of /proc/net/snmp6",
	.device  = "4: IPv4, 6: IPv6",
	.off     = true,
	METRICS(metrics),
};
