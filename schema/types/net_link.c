/* SPDX-License-Identifier: BSD-3-Clause */
/* net_link.c - type net_link: state and settings of network interfaces */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "carrier",      GAUGE, "",  "1: the interface has a link; missing while it is down"     },
	{ "mtu",          GAUGE, "B", "largest packet"                                            },
	{ "speed",        GAUGE, "",  "speed of the link in Mbit/s; missing if it is not known"   },
	{ "tx_queue_len", GAUGE, "",  "packets that the transmit queue can hold"                  },
};

const struct type net_link_type = {
	.name    = "net_link",
	.about   = "state and settings of network interfaces",
	.source  = "/sys/class/net/NAME/KEY",
	.device  = "network interface",
	.off     = true,
	METRICS(metrics),
};
