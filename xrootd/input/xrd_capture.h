/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_capture.h - options and results of reading datagrams from a file */
#pragma once

#include <stdint.h>
#include "xrootd/join/xrd_servers.h"

/* Receives the datagrams. now: time of arrival, in microseconds since 1970. */
struct xrd_datagrams {
	void (*take)(void *arg, const struct xrd_source *from, struct str datagram, int64_t now);
	void *arg;
};

struct xrd_capture {
	/*
	 * read only datagrams that were sent to this port; 0: to any port. All messages of the
	 * shoveler are read, because they have no destination port.
	 */
	uint16_t port;
	/* .messages: lines read as messages; .bad_messages: lines without a valid message */
	uint64_t messages, bad_messages;
	uint64_t packets;		/* packets in a tcpdump file */
	/* datagrams in a tcpdump file that were ignored: sent to other ports, or not from XRootD */
	uint64_t others;
	uint64_t damaged;		/* packets with malformed headers */
	uint64_t fragments_lost;	/* packets with a missing fragment */
	char why[256];
};
