/* SPDX-License-Identifier: BSD-3-Clause */
/* tracepoints.h - what the kernel says of TCP connections at the moment, by its tracepoints */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "tracers/tcp/ports.h"

enum trace_kind { TRACE_PROBE, TRACE_CONGESTION, TRACE_RETRANSMIT, TRACE_STATE, TRACE_KINDS };

/* What a tracepoint has no field for is 0. */
struct tcp_event {
	int64_t at;		/* CLOCK_MONOTONIC, nanoseconds */
	enum trace_kind kind;
	uint16_t family, sport, dport;
	unsigned char laddr[16], raddr[16];	/* IPv4 as ::ffff:a.b.c.d */
	uint64_t cookie;
	uint32_t snd_cwnd, ssthresh, snd_wnd, rcv_wnd, srtt, snd_nxt, snd_una;
	uint32_t new_state, congestion_state;
};

struct tracepoints;

#define TRACEPOINTS_WHY 160
/*
 * Opens those tracepoints that this kernel has, with a ring on each CPU; of the connections that
 * are wanted, the kernel passes no others on. why: what is missing, "" for nothing. 0 or -errno.
 */
int tracepoints_open(struct tracepoints **ret, const struct ports_list *only,
		     char why[TRACEPOINTS_WHY]) MUST_CHECK;
void tracepoints_free(struct tracepoints *t);	/* NULL is fine */
int tracepoints_fd(const struct tracepoints *t);	/* readable where a ring fills */

/* All events that wait, the oldest first; returns how many the kernel has lost besides. */
uint64_t tracepoints_take(struct tracepoints *t, void (*take)(void *arg, const struct tcp_event *e),
			  void *arg);
