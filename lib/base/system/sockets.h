/* SPDX-License-Identifier: BSD-3-Clause */
/* sockets.h - read the TCP sockets of this network namespace through sock_diag(7) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

/*
 * Copy of struct tcp_info of Linux 6.7 (include/uapi/linux/tcp.h), because older headers have fewer
 * fields. An older kernel fills only the first fields; the comments give the Linux version from
 * which a line's fields are filled.
 */
struct tcp_facts {
	uint8_t state, ca_state, retransmits, probes, backoff, options, wscale, app_limited;
	uint32_t rto, ato, snd_mss, rcv_mss;
	uint32_t unacked, sacked, lost, retrans, fackets;
	uint32_t last_data_sent, last_ack_sent, last_data_recv, last_ack_recv;
	uint32_t pmtu, rcv_ssthresh, rtt, rttvar, snd_ssthresh, snd_cwnd, advmss, reordering;
	uint32_t rcv_rtt, rcv_space, total_retrans;
	uint64_t pacing_rate, max_pacing_rate;
	uint64_t bytes_acked, bytes_received;			/* since Linux 4.1 */
	uint32_t segs_out, segs_in;
	uint32_t notsent_bytes, min_rtt;			/* since Linux 4.6 */
	uint32_t data_segs_in, data_segs_out;
	uint64_t delivery_rate;					/* since Linux 4.9 */
	uint64_t busy_time, rwnd_limited, sndbuf_limited;	/* Linux 4.10; microseconds */
	uint32_t delivered, delivered_ce;			/* since Linux 4.18 */
	uint64_t bytes_sent, bytes_retrans;			/* since Linux 4.19 */
	uint32_t dsack_dups, reord_seen;
	uint32_t rcv_ooopack, snd_wnd;				/* since Linux 5.4 */
	uint32_t rcv_wnd, rehash;				/* since Linux 6.2 */
	uint16_t total_rto, total_rto_recoveries;		/* since Linux 6.7 */
	uint32_t total_rto_time;
};

/* Return whether the kernel filled this field of .facts. */
#define SOCKET_HAS(s, field) \
	((s)->facts_n >= offsetof(struct tcp_facts, field) + sizeof((s)->facts.field))

struct socket_seen {
	uint8_t family, state;
	uint16_t lport, rport;
	unsigned char laddr[16], raddr[16];	/* IPv4 as ::ffff:a.b.c.d */
	uint64_t cookie;
	/* inode of the cgroup (v2), or 0 if unknown (before Linux 5.8) */
	uint64_t cgroup;
	uint32_t inode;				/* 0 if no process has the socket */
	uint32_t rqueue, wqueue;
	bool has_memory;
	uint32_t sndbuf, wmem_queued;
	struct tcp_facts facts;
	/* number of bytes at the start of .facts that the kernel filled */
	size_t facts_n;
};

/* TCP states. */
enum {
	SOCKET_ESTABLISHED = 1, SOCKET_TIME_WAIT = 6, SOCKET_CLOSE = 7, SOCKET_CLOSE_WAIT = 8,
	SOCKET_LAST_ACK = 9, SOCKET_LISTEN = 10, SOCKET_CLOSING = 11, SOCKET_NEW_SYN = 12,
};

struct sockets;

/*
 * Open a connection to sock_diag. Returns 0; -ENOTSUP if built without libmnl; or another -errno.
 */
int sockets_open(struct sockets **ret) MUST_CHECK;
/*
 * Ask the kernel to report each socket that is closed from now on, with its final counters; read
 * the reports with sockets_ends(). Returns the same values as sockets_open().
 */
int sockets_open_ends(struct sockets **ret) MUST_CHECK;
void sockets_free(struct sockets *s);	/* s may be NULL */
int sockets_fd(const struct sockets *s);

/*
 * Call take() for each connection, with its counters and, if memory is true, the sizes of its
 * buffers. Leaves out listeners, connections in TIME_WAIT (even if the kernel reports another
 * state), and requests that are not accepted yet. Returns 0; -EINTR if the kernel's list changed
 * meanwhile, so that connections may be missing or duplicated; -ENOENT if the kernel cannot list
 * TCP sockets, because module tcp_diag or inet_diag is not loaded; or another -errno.
 */
int sockets_dump(struct sockets *s, bool memory,
		 void (*take)(void *arg, const struct socket_seen *s), void *arg) MUST_CHECK;

/*
 * Call take() for the connection with these endpoints in this network namespace. Returns 0, but
 * without calling take() if the connection is in TIME_WAIT; -ENOENT if there is none; or another
 * -errno.
 */
struct socket_ends {
	uint8_t family;
	uint16_t lport, rport;
	unsigned char laddr[16], raddr[16];
};
int sockets_find(struct sockets *s, const struct socket_ends *ends,
		 void (*take)(void *arg, const struct socket_seen *s), void *arg) MUST_CHECK;

/*
 * Call take() for each closed socket reported since sockets_open_ends(). Returns 0; -ENOBUFS if
 * reports were lost; or another -errno.
 */
int sockets_ends(struct sockets *s, void (*take)(void *arg, const struct socket_seen *s),
		 void *arg) MUST_CHECK;
