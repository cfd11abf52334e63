/* SPDX-License-Identifier: BSD-3-Clause */
/* netstat.c - type netstat: counters of the Internet protocols, with the kernel's names */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "Ip_Forwarding",           GAUGE,   "", "1: packets are forwarded, 2: they are not" },
	{ "IpExt_InOctets",          COUNTER, "", "bytes of IPv4 received" },
	{ "IpExt_OutOctets",         COUNTER, "", "bytes of IPv4 sent" },
	{ "Icmp_InMsgs",             COUNTER, "", "ICMP messages received" },
	{ "Icmp_InErrors",           COUNTER, "", "bad ICMP messages received" },
	{ "Icmp_OutMsgs",            COUNTER, "", "ICMP messages sent" },
	{ "Tcp_MaxConn",             GAUGE,   "", "most TCP connections; 2^64 - 1: no limit" },
	{ "Tcp_ActiveOpens",         COUNTER, "", "TCP connections opened by this node" },
	{ "Tcp_PassiveOpens",        COUNTER, "", "TCP connections accepted" },
	{ "Tcp_CurrEstab",           GAUGE,   "", "TCP connections that are open" },
	{ "Tcp_InSegs",              COUNTER, "", "TCP segments received" },
	{ "Tcp_OutSegs",             COUNTER, "", "TCP segments sent" },
	{ "Tcp_RetransSegs",         COUNTER, "", "TCP segments sent again" },
	{ "Tcp_InErrs",              COUNTER, "", "bad TCP segments received" },
	{ "Tcp_OutRsts",             COUNTER, "", "TCP resets sent" },
	{ "TcpExt_ListenOverflows",  COUNTER, "", "connections refused: accept queue full" },
	{ "TcpExt_ListenDrops",      COUNTER, "", "connections dropped while opening" },
	{ "TcpExt_SyncookiesSent",   COUNTER, "", "SYN cookies sent" },
	{ "TcpExt_SyncookiesRecv",   COUNTER, "", "SYN cookies received" },
	{ "TcpExt_SyncookiesFailed", COUNTER, "", "bad SYN cookies received" },
	{ "TcpExt_TCPSynRetrans",    COUNTER, "", "SYN segments sent again" },
	{ "TcpExt_TCPTimeouts",      COUNTER, "", "TCP retransmission timeouts" },
	{ "TcpExt_TCPOFOQueue",      COUNTER, "", "TCP segments received out of order" },
	{ "TcpExt_TCPRcvQDrop",      COUNTER, "", "TCP segments dropped: receive buffer full" },
	{ "Udp_InDatagrams",         COUNTER, "", "UDP datagrams received" },
	{ "Udp_OutDatagrams",        COUNTER, "", "UDP datagrams sent" },
	{ "Udp_InErrors",            COUNTER, "", "UDP datagrams not delivered" },
	{ "Udp_NoPorts",             COUNTER, "", "UDP datagrams to a closed port" },
	{ "Udp_RcvbufErrors",        COUNTER, "", "UDP datagrams dropped: receive buffer full" },
	{ "Udp_SndbufErrors",        COUNTER, "", "UDP datagrams not sent: send buffer full" },
	{ "UdpLite_InErrors",        COUNTER, "", "UDP-Lite datagrams not delivered" },
};

const struct type netstat_type = {
	.name    = "netstat",
	.about   = "counters of the Internet protocols",
	.source  = "/proc/net/snmp and /proc/net/netstat: the line before \"_\", the name after it",
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
