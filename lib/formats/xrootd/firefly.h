/* SPDX-License-Identifier: BSD-3-Clause */
/* firefly.h - parse SciTags fireflies: UDP messages in which a server describes a TCP connection */
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
	/* microseconds since 1970; .end is 0 unless .state is FIREFLY_END */
	int64_t start, end;
	/* server's address, and peer's address; IPv4 is mapped into IPv6 */
	struct in6_addr src, dst;
	uint16_t src_port, dst_port;
	uint64_t experiment, activity;
	bool has_usage, has_rtt;
	uint64_t received, sent;	/* bytes since the start of the connection */
	double rtt_ms;
	char application[64];		/* application name, or empty */
	char host[256];			/* host name from the syslog header, or empty */
};

/*
 * Tell if a datagram may be a firefly: it starts with "<134>1" or similar, and contains
 * "firefly-json". This is faster than firefly_read().
 */
bool firefly_is(struct str datagram);

/* Parse a syslog message (RFC 5424) with a JSON object. Returns 0 or -EBADMSG. */
int firefly_read(struct str datagram, struct firefly *ret) MUST_CHECK;
