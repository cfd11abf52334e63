/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.h - send packets to several hosts, which may be down or unknown */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "base/listener.h"
#include "base/str.h"
#include "sinks/lookup.h"

#define UDP_DESTINATIONS_MAX 16

struct udp_destination {
	char host[256], port[6];
	int fd;			/* connected socket, or -1 */
	struct lookup lookup;
	struct lookup_answer known;	/* addresses of the host */
	size_t at;		/* index of the address in use */
	/* time of the last lookup, in seconds of CLOCK_MONOTONIC; 0: never */
	int64_t looked_up_s;
	int64_t retry_s;	/* seconds until the next lookup */
	bool failing;
	const struct listener *listener;	/* receives messages about failures; or NULL */
	char error[64];		/* error reported last */
	int64_t refused_s;	/* time when a packet was last refused (ICMP); 0: never */
};

struct udp {
	struct udp_destination to[UDP_DESTINATIONS_MAX];
	size_t n;
	/*
	 * how long the first packet may wait for lookups, in milliseconds; set by the caller after
	 * udp_init()
	 */
	int first_wait_ms;
	bool waited;
};

/*
 * Parse a list of "HOST:PORT", separated by blanks or commas; an IPv6 address is "[::1]:3333".
 * Returns 0, or -EINVAL and the bad word or the word after UDP_DESTINATIONS_MAX destinations.
 */
int udp_init(struct udp *u, struct str destinations, const struct listener *listener,
	     struct str *bad) MUST_CHECK;
void udp_free(struct udp *u);

/*
 * Send a packet to each destination. A packet that cannot be sent is lost. The first failure is
 * logged; a later failure is logged only if its reason is new or a packet was sent in between. A
 * name with known addresses is looked up again after an hour, a name without addresses after 64 s
 * at most; only the first packet waits for a lookup. If an address of a host refuses packets, the
 * host's next address is used.
 */
void udp_send(struct udp *u, struct str packet);

/*
 * Return the first destination with a recent failure: a failed name lookup, a failed send, or a
 * refusal that ICMP reported. Returns NULL if there is none.
 */
const struct udp_destination *udp_failing(const struct udp *u);

/*
 * Look up each destination, for up to timeout_ms each, and append to said whether it has an
 * address. Returns 0, or -ENOENT if a destination has no address.
 */
int udp_find(struct udp *u, int timeout_ms, struct buf *said) MUST_CHECK;
