/* SPDX-License-Identifier: BSD-3-Clause */
/* sockstat.c - type sockstat: sockets by protocol */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "sockets_used",  GAUGE, "",  "sockets of all kinds" },
	{ "TCP_inuse",     GAUGE, "",  "TCP sockets, without those in TIME_WAIT" },
	{ "TCP_orphan",    GAUGE, "",  "TCP sockets that no process has open" },
	{ "TCP_tw",        GAUGE, "",  "TCP connections in TIME_WAIT" },
	{ "TCP_alloc",     GAUGE, "",  "TCP sockets in any state" },
	{ "TCP_mem",       GAUGE, "",  "pages of memory in TCP buffers" },
	{ "TCP_mem_bytes",  GAUGE, "B", "memory in TCP buffers" },
	{ "UDP_inuse",     GAUGE, "",  "UDP sockets" },
	{ "UDP_mem",       GAUGE, "",  "pages of memory in UDP buffers" },
	{ "UDP_mem_bytes",  GAUGE, "B", "memory in UDP buffers" },
	{ "UDPLITE_inuse", GAUGE, "",  "UDP-Lite sockets" },
	{ "RAW_inuse",     GAUGE, "",  "raw sockets" },
	{ "FRAG_inuse",    GAUGE, "",  "IP packets that wait for fragments" },
	{ "FRAG_memory",   GAUGE, "",  "bytes of memory in these fragments" },
};

const struct type sockstat_type = {
	.name    = "sockstat",
	.about   = "sockets by protocol",
	.source  = "/proc/net/sockstat: the line before \"_\", the word after it",
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
