/* SPDX-License-Identifier: BSD-3-Clause */
/* sockets.h - the TCP sockets of this network namespace and their numbers, by sock_diag(7) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

/*
 * struct tcp_info as include/uapi/linux/tcp.h of Linux 6.7 has it: older headers have less.
 * A kernel fills the front of it.
 */
struct tcp_facts {
	uint8_t state, ca_state, retransmits, probes, backoff, options, wscale, app_limited;
	uint32_t rto, ato, snd_mss, rcv_mss;
	uint32_t unacked, sacked, lost, retrans, fackets;
	uint32_t last_data_sent, last_ack_sent, last_data_recv, last_ack_recv;
	uint32_t pmtu, rcv_ssthresh, rtt, rttvar, snd_ssthresh, snd_cwnd, advmss, reordering;
	uint32_t rcv_rtt, rcv_space, total_retrans;
	uint64_t pacing_rate, max_pacing_rate;
	uint64_t bytes_acked, bytes_received;			/* 4.1 */
	uint32_t segs_out, segs_in;
	uint32_t notsent_bytes, min_rtt;			/* 4.6 */
	uint32_t data_segs_in, data_segs_out;
	uint64_t delivery_rate;					/* 4.9 */
	uint64_t busy_time, rwnd_limited, sndbuf_limited;	/* 4.10, microseconds */
	uint32_t delivered, delivered_ce;			/* 4.18 */
	uint64_t bytes_sent, bytes_retrans;			/* 4.19 */
	uint32_t dsack_dups, reord_seen;
	uint32_t rcv_ooopack, snd_wnd;				/* 5.4 */
	uint32_t rcv_wnd, rehash;				/* 6.2 */
	uint16_t total_rto, total_rto_recoveries;		/* 6.7 */
	uint32_t total_rto_time;
};

/* The kernel has this field. */
#define SOCKET_HAS(s, field) \
	((s)->facts_n >= offsetof(struct tcp_facts, field) + sizeof((s)->facts.field))

struct socket_seen {
	uint8_t family, state;
	uint16_t lport, rport;
	unsigned char laddr[16], raddr[16];	/* IPv4 as ::ffff:a.b.c.d */
	uint64_t cookie;
	uint64_t cgroup;			/* of v2; 0: the kernel does not say (before 5.8) */
	uint32_t inode;				/* 0: no process has it */
	uint32_t rqueue, wqueue;
	bool has_memory;
	uint32_t sndbuf, wmem_queued;
	struct tcp_facts facts;
	size_t facts_n;				/* bytes of it that the kernel has */
};

/* The numbers of states, and of dumps. */
enum {
	SOCKET_ESTABLISHED = 1, SOCKET_TIME_WAIT = 6, SOCKET_CLOSE = 7, SOCKET_LISTEN = 10,
	SOCKET_NEW_SYN = 12,
};

struct sockets;

/* 0; -ENOTSUP: built without libmnl; or -errno. */
int sockets_open(struct sockets **ret) MUST_CHECK;
/* The same for the last numbers of sockets that are closed from now on. */
int sockets_open_ends(struct sockets **ret) MUST_CHECK;
void sockets_free(struct sockets *s);	/* NULL is fine */
int sockets_fd(const struct sockets *s);

/*
 * All connections with their numbers: no listeners, no TIME_WAIT, whatever state that reports, no
 * request that is not accepted yet. memory: the buffers' sizes, too.
 * 0 or -errno; -EINTR: the kernel's list changed so that some may be missing or there twice.
 */
int sockets_dump(struct sockets *s, bool memory,
		 void (*take)(void *arg, const struct socket_seen *s), void *arg) MUST_CHECK;

/*
 * The one connection of these ends in this network namespace, given to take. 0; -ENOENT: there is
 * none, or it is in TIME_WAIT; or another -errno.
 */
struct socket_ends {
	uint8_t family;
	uint16_t lport, rport;
	unsigned char laddr[16], raddr[16];
};
int sockets_find(struct sockets *s, const struct socket_ends *ends,
		 void (*take)(void *arg, const struct socket_seen *s), void *arg) MUST_CHECK;

/* Takes ended sockets, queued by sockets_open_ends(). 0; -ENOBUFS: some were lost; or -errno. */
int sockets_ends(struct sockets *s, void (*take)(void *arg, const struct socket_seen *s),
		 void *arg) MUST_CHECK;
