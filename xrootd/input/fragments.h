/* SPDX-License-Identifier: BSD-3-Clause */
/* fragments.h - IP packets put together from their fragments */
#pragma once

#include "base/buf.h"
#include "formats/xrootd/packet.h"

#define FRAGMENTS_MAX   65536	/* bytes of a whole packet */
#define FRAGMENTED_MAX  64	/* packets not whole yet: of more, the oldest is given up */
#define FRAGMENTS_WAIT  30000000	/* microseconds that a packet's fragments may take */

struct fragmented {
	struct ip_packet packet;	/* whose fragments they are */
	bool used;
	int64_t began;
	size_t end;			/* of the whole, 0: its last fragment is not here yet */
	size_t have;			/* units of 8 bytes that are here */
	bool cut;			/* the capture cut off a part of one */
	struct buf data;
	uint8_t unit[FRAGMENTS_MAX / 8 / 8];	/* a bit for each */
};

/* All zero is a valid empty one. */
struct fragments {
	struct fragmented slot[FRAGMENTED_MAX];
	uint64_t given_up;		/* packets that lacked a fragment */
};

/*
 * Adds a fragment; true: p is the whole packet now, its data are borrowed until the next call. Of
 * bytes that come twice or overlap the first ones count.
 */
bool fragments_add(struct fragments *f, struct ip_packet *p, int64_t now);
void fragments_free(struct fragments *f);	/* counts packets that are not whole as given up */
