/* SPDX-License-Identifier: BSD-3-Clause */
/* fragments.h - reassemble IP packets from their fragments */
#pragma once

#include "base/buf.h"
#include "formats/xrootd/packet.h"

#define FRAGMENTS_MAX   65536	/* size of the largest reassembled packet, in bytes */
/* maximum number of incomplete packets; a new packet replaces the oldest */
#define FRAGMENTED_MAX  64
/* longest time between the first and last fragment of a packet, in microseconds */
#define FRAGMENTS_WAIT  30000000

struct fragmented {
	struct ip_packet packet;	/* header, equal in all fragments */
	bool used;
	int64_t began;			/* arrival of the first fragment, in microseconds */
	/* length of the packet in bytes; 0: the last fragment is missing */
	size_t end;
	size_t have;			/* number of 8-byte units received */
	bool cut;			/* the capture file has a truncated fragment */
	struct buf data;
	uint8_t unit[FRAGMENTS_MAX / 8 / 8];	/* bit i: unit i was received */
};

/* All zero is a valid empty state. */
struct fragments {
	struct fragmented slot[FRAGMENTED_MAX];
	uint64_t given_up;	/* number of packets dropped because a fragment is missing */
};

/*
 * Add a fragment. Returns true if the packet is now complete; p is then the whole packet, with data
 * borrowed until the next call. If the capture file has a truncated fragment, p->data is shorter
 * than p->size.
 */
bool fragments_add(struct fragments *f, struct ip_packet *p, int64_t now);
/* Count the incomplete packets as dropped, and free the memory. */
void fragments_free(struct fragments *f);
