/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_event.h - an event of a TCP connection, as reported by a kernel tracepoint */
#pragma once

#include <stdint.h>

enum trace_kind { TRACE_PROBE, TRACE_CONGESTION, TRACE_RETRANSMIT, TRACE_STATE, TRACE_KINDS };

/* An event. Values that the tracepoint does not report are 0. */
struct tcp_event {
	int64_t at;		/* time of the event, in nanoseconds of CLOCK_MONOTONIC */
	enum trace_kind kind;
	uint16_t family, sport, dport;
	unsigned char laddr[16], raddr[16];	/* IPv4 addresses as ::ffff:a.b.c.d */
	uint64_t cookie;
	/* .snd_cwnd and .ssthresh are in segments, .srtt in microseconds, windows in bytes */
	uint32_t snd_cwnd, ssthresh, snd_wnd, rcv_wnd, srtt, snd_nxt, snd_una;
	uint32_t new_state, congestion_state;
};
