/* SPDX-License-Identifier: BSD-3-Clause */
/* firefly.h - fireflies of SciTags: what a server says of a TCP connection, by UDP */
#pragma once

#include <netinet/in.h>
#include "base/base.h"
#include "base/str.h"

enum firefly_state {
	FIREFLY_START,
	FIREFLY_ONGOING,
	FIREFLY_END,
};

struct firefly {
	enum firefly_state state;
	int64_t start, end;		/* microseconds since 1970; .end: 0, but of FIREFLY_END */
	struct in6_addr src, dst;	/* the server's side and the other, IPv4 as mapped */
	uint16_t src_port, dst_port;
	uint64_t experiment, activity;
	bool has_usage, has_rtt;
	uint64_t received, sent;	/* bytes since the begin of the connection */
	double rtt_ms;
	char application[64];		/* or empty */
	char host[256];			/* of the message's head, or empty */
};

/* "<134>1 ..." with "firefly-json": cheap, to be asked before firefly_read(). */
bool firefly_is(struct str datagram);

/* A message of syslog (RFC 5424) with an object of JSON. 0 or -EBADMSG. */
int firefly_read(struct str datagram, struct firefly *ret) MUST_CHECK;
