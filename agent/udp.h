/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.h - packets to several hosts that may come and go */
#pragma once

#include "base/base.h"
#include "base/str.h"

#define UDP_DESTINATIONS_MAX 16

struct udp_destination {
	char host[256], port[6];
	int fd;			/* connected, or -1 */
	int64_t looked_up;	/* when, in seconds of CLOCK_MONOTONIC; 0: never */
	bool failing;		/* and it was said */
};

struct udp {
	struct udp_destination to[UDP_DESTINATIONS_MAX];
	size_t n;
};

/* "HOST:PORT" with blanks or commas between them, "[::1]:3333". 0, or -EINVAL and the bad word. */
int udp_init(struct udp *u, struct str destinations, struct str *bad) MUST_CHECK;
void udp_free(struct udp *u);

/* To each of them; what cannot be sent is lost, and that is said once until it works again. */
void udp_send(struct udp *u, struct str packet);
