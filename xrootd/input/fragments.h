/* SPDX-License-Identifier: BSD-3-Clause */
/* fragments.h - reassemble IP packets from their fragments */
#pragma once

#include "base/buf.h"
#include "formats/xrootd/packet.h"

#define FRAGMENTS_MAX   65536	/* bytes of a whole packet */
#define FRAGMENTED_MAX  64	/* incomplete packets; one more evicts the oldest */
#define FRAGMENTS_WAIT  30000000	/* microseconds that fragments of a packet may take */

struct fragmented {
	struct ip_packet packet;	/* header, equal in all fragments */
	bool used;
	int64_t began;
	size_t end;			/* length of the packet; 0: last fragment missing */
	size_t have;			/* units of 8 bytes received */
	bool cut;			/* the capture truncated a fragment */
	struct buf data;
	uint8_t unit[FRAGMENTS_MAX / 8 / 8];	/* units received, as bits */
};

/* All zero is a valid empty state. */
struct fragments {
	struct fragmented slot[FRAGMENTED_MAX];
	uint64_t given_up;		/* packets with a missing fragment */
};

/*
 * Add a fragment. Returns true if p is now the whole packet, with data borrowed until the next
 * call. If fragments overlap, the bytes that came first count.
 */
bool fragments_add(struct fragments *f, struct ip_packet *p, int64_t now);
void fragments_free(struct fragments *f);	/* counts incomplete packets as given up */
