/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c - type tcp: sums over the TCP connections of the node */
#include "schema/type.h"
#include "schema/types/tcp.h"

static const struct metric metrics[TCP_KEYS] = {
	[TCP_RETRANS]        = { "retrans",        COUNTER, "",   "segments sent again" },
	[TCP_BYTES_RETRANS]  = { "bytes_retrans",  COUNTER, "B",  "bytes sent again (since 4.19)" },
	[TCP_BYTES_ACKED]    = { "bytes_acked",    COUNTER, "B",  "sent and acknowledged" },
	[TCP_BYTES_RECEIVED] = { "bytes_received", COUNTER, "B",  "received in order" },
	[TCP_BUSY]           = { "busy",           COUNTER, "us", "time with data to send, of all "
				 "connections" },
	[TCP_CWND_LIMITED]   = { "cwnd_limited",   COUNTER, "us", "of it, held by the congestion "
				 "window or the network" },
	[TCP_RWND_LIMITED]   = { "rwnd_limited",   COUNTER, "us", "of it, held by the receiver's "
				 "window" },
	[TCP_SNDBUF_LIMITED] = { "sndbuf_limited", COUNTER, "us", "of it, held by the send "
				 "buffer" },
	[TCP_DELIVERED_CE]   = { "delivered_ce",   COUNTER, "",   "segments that came with a "
				 "mark of congestion" },
	[TCP_RTO]            = { "rto",            COUNTER, "",   "retransmission timeouts (since "
				 "6.7)" },
	[TCP_CONNECTIONS]    = { "connections",    GAUGE,   "",   "connections that are "
				 "established" },
	[TCP_RECOVERY]       = { "recovery",       GAUGE,   "",   "of them, in fast recovery" },
	[TCP_LOSS]           = { "loss",           GAUGE,   "",   "of them, in loss recovery" },
	[TCP_APP_LIMITED]    = { "app_limited",    GAUGE,   "",   "of them, the program has sent "
				 "less than it could" },
	[TCP_SND_QUEUE]      = { "snd_queue",      GAUGE,   "B",  "in their send buffers" },
	[TCP_RCV_QUEUE]      = { "rcv_queue",      GAUGE,   "B",  "in their receive buffers" },
	[TCP_RTT_100US]      = { "rtt_100us",      GAUGE,   "",   "with a round-trip time "
				 "under 100 us" },
	[TCP_RTT_1MS]        = { "rtt_1ms",        GAUGE,   "",   "of 100 us to 1 ms" },
	[TCP_RTT_10MS]       = { "rtt_10ms",       GAUGE,   "",   "of 1 to 10 ms" },
	[TCP_RTT_100MS]      = { "rtt_100ms",      GAUGE,   "",   "of 10 to 100 ms" },
	[TCP_RTT_1S]         = { "rtt_1s",         GAUGE,   "",   "of 100 ms to 1 s" },
	[TCP_RTT_MORE]       = { "rtt_more",       GAUGE,   "",   "of 1 s or more" },
};

const struct type tcp_type = {
	.name    = "tcp",
	.about   = "TCP connections, sums over all of them",
	.source  = "sock_diag, tcp_info of each connection of the agent's network namespace; what "
		   "one did after the last sample before it closed is not counted.  It costs "
		   "0.4 ms a sample and 0.5 ms for each 1000 connections",
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
