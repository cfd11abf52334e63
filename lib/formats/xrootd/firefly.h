/* SPDX-License-Identifier: BSD-3-Clause */
/* firefly.h - parse SciTags fireflies, UDP messages of a server about a TCP connection */
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
	/*
	 * start and end of the connection, microseconds since the epoch; .end is only set with
	 * FIREFLY_END
	 */
	int64_t start, end;
	/* addresses of the server and its peer; IPv4-mapped for IPv4 */
	struct in6_addr src, dst;
	uint16_t src_port, dst_port;
	uint64_t experiment, activity;
	bool has_usage, has_rtt;
	uint64_t received, sent;	/* bytes since the start of the connection */
	double rtt_ms;
	char application[64];		/* name of the application, or "" */
	char host[256];			/* hostname in the syslog header, or "" */
};

/*
 * Return true if a datagram may be a firefly: it starts with a priority such as "<134>1", and
 * contains "firefly-json". This test is faster than firefly_read().
 */
bool firefly_is(struct str datagram);

/* Parse a firefly, a syslog message (RFC 5424) with a JSON object. Returns 0 or -EBADMSG. */
int firefly_read(struct str datagram, struct firefly *ret) MUST_CHECK;
