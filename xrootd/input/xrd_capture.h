/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_capture.h - a file of datagrams: the function that gets them, and counts */
#pragma once

#include <stdint.h>
#include "xrootd/join/xrd_servers.h"

struct xrd_datagrams {
	void (*take)(void *arg, const struct xrd_source *from, struct str datagram, int64_t now);
	void *arg;
};

struct xrd_capture {
	uint16_t port;			/* only datagrams to this port; 0: to any port */
	uint64_t messages, bad_messages;	/* messages of the shoveler */
	uint64_t packets;		/* packets in a tcpdump file */
	uint64_t others;		/* datagrams to other ports, or not from XRootD */
	uint64_t damaged;		/* packets with wrong headers */
	uint64_t fragments_lost;	/* packets with a missing fragment */
	char why[256];
};
