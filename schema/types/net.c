/* SPDX-License-Identifier: BSD-3-Clause */
/* net.c - type net: network interfaces */
#include "schema/type.h"
#include "schema/types/net.h"

/*
 * Keys are named as in /sys/class/net/I/statistics
 * (Documentation/ABI/testing/sysfs-class-net-statistics).
 */
static const struct metric metrics[] = {
	{ "collisions",          COUNTER, "",  "collisions"                                     },
	{ "multicast",           COUNTER, "",  "multicast packets received"                     },
	{ "rx_bytes",            COUNTER, "B", "received"                                       },
	{ "rx_compressed",       COUNTER, "",  "compressed packets received (PPP)"              },
	{ "rx_crc_errors",       COUNTER, "",  "received with a wrong checksum"                 },
	{ "rx_dropped",          COUNTER, "",  "received, but not processed: no room, no use"   },
	{ "rx_errors",           COUNTER, "",  "bad packets received"                           },
	{ "rx_fifo_errors",      COUNTER, "",  "receiver's FIFO ran over"                       },
	{ "rx_frame_errors",     COUNTER, "",  "received with an alignment error"               },
	{ "rx_length_errors",    COUNTER, "",  "received with an impossible length"             },
	{ "rx_missed_errors",    COUNTER, "",  "missed by the device as it had no buffer"       },
	{ "rx_over_errors",      COUNTER, "",  "receiver's ring ran over"                       },
	{ "rx_packets",          COUNTER, "",  "packets received"                               },
	{ "tx_aborted_errors",   COUNTER, "",  "not sent: aborted"                              },
	{ "tx_bytes",            COUNTER, "B", "sent"                                           },
	{ "tx_carrier_errors",   COUNTER, "",  "not sent: no carrier"                           },
	{ "tx_compressed",       COUNTER, "",  "compressed packets sent"                        },
	{ "tx_dropped",          COUNTER, "",  "not sent: dropped before the device"            },
	{ "tx_errors",           COUNTER, "",  "not sent: errors of all kinds"                  },
	{ "tx_fifo_errors",      COUNTER, "",  "not sent: FIFO ran empty"                       },
	{ "tx_heartbeat_errors", COUNTER, "",  "heartbeat or signal quality errors"             },
	{ "tx_packets",          COUNTER, "",  "packets sent"                                   },
	{ "tx_window_errors",    COUNTER, "",  "not sent: late collision"                       },
	{ "rx_nohandler",        COUNTER, "",  "dropped on an inactive interface (since 4.6)"   },
};
_Static_assert(ARRAY_SIZE(metrics) == NET_KEYS, "as the collector has it");

const struct type net_type = {
	.name    = "net",
	.about   = "network interfaces",
	.source  = "rtnetlink, RTM_GETSTATS; before Linux 4.7 /sys/class/net/NAME/statistics/KEY",
	.device  = "network interface",
	METRICS(metrics),
};
