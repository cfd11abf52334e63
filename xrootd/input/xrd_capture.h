/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_capture.h - a file of datagrams: who takes them, and what else was in it */
#pragma once

#include <stdint.h>
#include "tracers/xrootd/join/xrd_servers.h"

struct xrd_datagrams {
	void (*take)(void *arg, const struct xrd_source *from, struct str datagram, int64_t now);
	void *arg;
};

struct xrd_capture {
	uint16_t port;			/* only what was sent there; 0: to any */
	uint64_t messages, bad_messages;	/* of the shoveler's */
	uint64_t packets;		/* of tcpdump's */
	uint64_t others;		/* datagrams of others */
	uint64_t damaged;		/* packets with headers that are wrong */
	uint64_t fragments_lost;	/* packets that lacked a fragment */
	char why[256];
};
