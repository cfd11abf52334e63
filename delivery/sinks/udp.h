/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.h - packets to several hosts that may come and go */
#pragma once

#include "base/base.h"
#include "base/listener.h"
#include "base/str.h"
#include "sinks/lookup.h"

#define UDP_DESTINATIONS_MAX 16

struct udp_destination {
	char host[256], port[6];
	int fd;			/* connected, or -1 */
	struct lookup lookup;
	struct lookup_answer known;	/* addresses of the host, .n of them */
	size_t at;		/* number of the address in use */
	int64_t asked;		/* seconds of CLOCK_MONOTONIC; 0: never */
	int64_t again_s;	/* until the next question */
	bool failing;
	const struct listener *listener;	/* the caller's, or NULL */
	char said[64];		/* of that, last */
	int64_t refused;	/* when somebody there last did not want a packet */
};

struct udp {
	struct udp_destination to[UDP_DESTINATIONS_MAX];
	size_t n;
	int patience_ms;	/* the caller's: how long the first packet may wait for names */
	bool waited;
};

/* "HOST:PORT" with blanks or commas between them, "[::1]:3333". 0, or -EINVAL and the bad word. */
int udp_init(struct udp *u, struct str destinations, const struct listener *listener,
	     struct str *bad) MUST_CHECK;
void udp_free(struct udp *u);

/*
 * To each of them; what cannot be sent is lost, and that is said once until it works again. A name
 * is looked up again after an hour, one that is not known sooner; no packet waits for that, but the
 * first. Of several addresses, the next is used when one refuses packets.
 */
void udp_send(struct udp *u, struct str packet);

/* The first that the last packets did not reach, as far as ICMP reported; or NULL. */
const struct udp_destination *udp_failing(const struct udp *u);
