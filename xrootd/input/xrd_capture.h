/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_capture.h - read datagrams from a file: selection, recipient and counts */
#pragma once

#include <stdint.h>
#include "xrootd/join/xrd_servers.h"

struct xrd_datagrams {
	void (*take)(void *arg, const struct xrd_source *from, struct str datagram, int64_t now);
	void *arg;
};

struct xrd_capture {
	uint16_t port;			/* only datagrams to this port; 0: to any port */
	/* messages of the shoveler; lines without a valid message */
	uint64_t messages, bad_messages;
	uint64_t packets;		/* packets in a tcpdump file */
	uint64_t others;		/* datagrams to other ports, or that are not from XRootD */
	uint64_t damaged;		/* packets with wrong headers */
	uint64_t fragments_lost;	/* packets with a missing fragment */
	char why[256];
};
