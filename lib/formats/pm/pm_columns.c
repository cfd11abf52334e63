/* SPDX-License-Identifier: BSD-3-Clause */
/* pm_columns.c - the columns of .pm files that nodometer writes, and their meaning */
#include "formats/pm/pm_columns.h"

#define P PM_SCOPE_PM
#define S PM_SCOPE_SYS
#define I PM_SCOPE_INDIV
#define HOST PM_INT_HOST
#define NET PM_INT_NET
#define RAW PM_STRING
#define FACK (PM_SACK | PM_FACK)
/* TCP_INFINITE_SSTHRESH of net/tcp.h: value of the threshold while no loss has occurred */
#define NO_SSTHRESH 0x7fffffff

/*
 * Columns about NetBSD's automatic buffer tuning have length 0, because Linux has no such values.
 */
const struct pm_known pm_known[PM_KNOWN] = {
	[PM_SEQ_NO]        = { { "seq_no",           0,  4, P, 0,    HOST }, 0,   PM_UNIT_NONE,
			       "number of the snapshot" },
	[PM_TIME]          = { { "time",             4,  8, P, 0,    HOST }, 0,   PM_UNIT_NONE,
			       "time of the snapshot" },
	[PM_CALLVALUE]     = { { "callvalue",        12, 4, P, 0,    HOST }, 'v', PM_UNIT_NUMBER,
			       "calling values" },
	[PM_LOCATION]      = { { "location",         16, 4, P, 0,    HOST }, 'l', PM_UNIT_NUMBER,
			       "calling location" },
	[PM_LPORT]         = { { "lport",            20, 2, I, 0,    NET  }, 0,   PM_UNIT_NONE,
			       "local port" },
	[PM_RPORT]         = { { "rport",            22, 2, I, 0,    NET  }, 0,   PM_UNIT_NONE,
			       "remote port" },
	[PM_SND_CWND]      = { { "snd_cwnd",         24, 4, I, 0,    HOST }, 'c', PM_UNIT_BYTES,
			       "cwnd" },
	[PM_SND_MAX]       = { { "snd_max",          28, 4, I, 0,    HOST }, 's', PM_UNIT_SEQUENCE,
			       "snd_max" },
	[PM_SND_FACK]      = { { "snd_fack",         32, 4, I, FACK, HOST }, 'f', PM_UNIT_SEQUENCE,
			       "snd_fack" },
	[PM_SB_HIWAT]      = { { "sb_hiwat",         36, 4, I, 0,    HOST }, 'H', PM_UNIT_BYTES,
			       "so_snd.sb_hiwat" },
	[PM_SND_SB_CC]     = { { "snd_sb_cc",        40, 4, I, 0,    HOST }, 'b', PM_UNIT_BYTES,
			       "so_snd.sb_cc" },
	[PM_RCV_SB_CC]     = { { "rcv_sb_cc",        44, 4, I, 0,    HOST }, 'r', PM_UNIT_BYTES,
			       "so_rcv.sb_cc" },
	[PM_SB_TARGET_HIWAT] = { { "sb_target_hiwat", 0, 0, I, PM_AUTO, HOST }, 't', PM_UNIT_BYTES,
			       "so_snd.sb_mem_target" },
	[PM_SB_NET_TARGET] = { { "sb_net_target",    0,  0, I, PM_AUTO, HOST }, 'n', PM_UNIT_BYTES,
			       "so_snd.sb_net_target" },
	[PM_HIWAT_FAIR_SHARE] = { { "hiwat_fair_share", 0, 0, I, PM_AUTO, HOST }, 'F',
			       PM_UNIT_BYTES, "hiwat_fair_share" },
	[PM_M_CLUSED]      = { { "m_clused",         60, 4, S, 0,    HOST }, 'm', PM_UNIT_CLUSTERS,
			       "mbuf clusters in use (in bytes)" },
	[PM_STATE]         = { { "state",            64, 1, I, 0,    HOST }, 0,   PM_UNIT_NUMBER,
			       "state of the connection" },
	[PM_CA_STATE]      = { { "ca_state",         65, 1, I, 0,    HOST }, 0,   PM_UNIT_NUMBER,
			       "state of congestion avoidance" },
	[PM_SND_MSS]       = { { "snd_mss",          68, 4, I, 0,    HOST }, 0,   PM_UNIT_BYTES,
			       "size of segments sent" },
	[PM_RTT]           = { { "rtt",              72, 4, I, 0,    HOST }, 0,   PM_UNIT_USEC,
			       "smoothed round-trip time" },
	[PM_RTTVAR]        = { { "rttvar",           76, 4, I, 0,    HOST }, 0,   PM_UNIT_USEC,
			       "mean deviation of the round-trip time" },
	[PM_MIN_RTT]       = { { "min_rtt",          80, 4, I, 0,    HOST, UINT32_MAX }, 0,
			       PM_UNIT_USEC,
			       "least round-trip time" },
	[PM_SND_SSTHRESH]  = { { "snd_ssthresh",     84, 4, I, 0,    HOST, NO_SSTHRESH }, 0,
			       PM_UNIT_SEGMENTS,
			       "slow-start threshold" },
	[PM_RCV_WND]       = { { "rcv_wnd",          88, 4, I, 0,    HOST }, 0,   PM_UNIT_BYTES,
			       "receive window, ours" },
	[PM_SND_WND]       = { { "snd_wnd",          92, 4, I, 0,    HOST }, 0,   PM_UNIT_BYTES,
			       "receive window, the peer's" },
	[PM_TOTAL_RETRANS] = { { "total_retrans",    96, 4, I, 0,    HOST }, 0,   PM_UNIT_SEGMENTS,
			       "segments sent again" },
	[PM_WMEM_QUEUED]   = { { "wmem_queued",     100, 4, I, 0,    HOST }, 0,   PM_UNIT_BYTES,
			       "memory of what waits to be sent" },
	[PM_SND_CWND_BYTES] = { { "snd_cwnd_bytes", 108, 8, I, 0,    HOST }, 0,   PM_UNIT_BYTES,
			       "cwnd where it is over 4 GiB" },
	[PM_DELIVERY_RATE] = { { "delivery_rate",   116, 8, I, 0,    HOST }, 0,   PM_UNIT_RATE,
			       "newest rate of delivery" },
	[PM_BYTES_ACKED]   = { { "bytes_acked",     124, 8, I, 0,    HOST }, 0,   PM_UNIT_STREAM,
			       "bytes acknowledged" },
	[PM_BYTES_RECEIVED] = { { "bytes_received", 132, 8, I, 0,    HOST }, 0,   PM_UNIT_STREAM,
			       "bytes received" },
	[PM_BYTES_RETRANS] = { { "bytes_retrans",   140, 8, I, 0,    HOST }, 0,   PM_UNIT_STREAM,
			       "bytes sent again" },
	[PM_LADDR]         = { { "laddr",           148, 16, I, 0,   RAW  }, 0,   PM_UNIT_NONE,
			       "local address" },
	[PM_RADDR]         = { { "raddr",           164, 16, I, 0,   RAW  }, 0,   PM_UNIT_NONE,
			       "remote address" },
	[PM_FAMILY]        = { { "family",           66, 1, I, 0,    HOST }, 0,   PM_UNIT_NONE,
			       "address family" },
	[PM_COOKIE]        = { { "cookie",          180, 8, I, 0,    HOST }, 0,   PM_UNIT_NONE,
			       "the kernel's number of the socket" },
	[PM_VALID]         = { { "valid",           188, 8, P, 0,    HOST }, 0,   PM_UNIT_NONE,
			       "columns that are of this instant" },
	[PM_NOTSENT_BYTES] = { { "notsent_bytes",   104, 4, I, 0,    HOST }, 0,   PM_UNIT_BYTES,
			       "bytes that wait to be sent" },
	[PM_DATA_SEGS_OUT] = { { "data_segs_out",   196, 4, I, 0,    HOST }, 0,   PM_UNIT_SEGMENTS,
			       "segments with data sent" },
	[PM_BUSY_TIME]     = { { "busy_time",       200, 8, I, 0,    HOST }, 0,   PM_UNIT_USEC,
			       "time with data to send" },
	[PM_RWND_LIMITED]  = { { "rwnd_limited",    208, 8, I, 0,    HOST }, 0,   PM_UNIT_USEC,
			       "busy time limited by the peer's window" },
	[PM_SNDBUF_LIMITED] = { { "sndbuf_limited", 216, 8, I, 0,    HOST }, 0,   PM_UNIT_USEC,
			       "busy time limited by the send buffer" },
};

const char *const pm_location_names[PM_LOCATIONS] = {
	[PM_AT_POLL]       = "poll",
	[PM_AT_FINAL]      = "final",
	[PM_AT_CWND]       = "cwnd",
	[PM_AT_LOSS]       = "loss",
	[PM_AT_RTO]        = "rto",
	[PM_AT_RETRANSMIT] = "retransmit",
	[PM_AT_STATE]      = "state",
};

const struct pm_known *pm_known_column(const char *name)
{
	if (strcmp(name, "m_closed") == 0)
		return &pm_known[PM_M_CLUSED];
	for (size_t i = 0; i < PM_KNOWN; i++)
		if (strcmp(name, pm_known[i].column.name) == 0)
			return &pm_known[i];
	return NULL;
}

const struct pm_known *pm_known_letter(char letter)
{
	for (size_t i = 0; i < PM_KNOWN && letter; i++)
		if (pm_known[i].letter == letter)
			return &pm_known[i];
	return NULL;
}
