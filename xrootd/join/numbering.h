/* SPDX-License-Identifier: BSD-3-Clause */
/* numbering.h - learn if a server numbers map records and the f-stream with one counter */
#pragma once

#include "xrootd/join/xrd_order.h"

enum xrd_numbering {
	XRD_NUMBERS_UNKNOWN,
	XRD_NUMBERS_APART,	/* XRootD: the f-stream has a counter of its own */
	XRD_NUMBERS_SHARED,	/* Pelican's origin, for example */
};

/*
 * Until the numbers tell, datagrams are delivered as if the counters were apart, and are counted
 * both ways. Only what both ways agree on is added to the server's counts.
 */
struct numbering {
	struct xrd_order as_one;	/* one counter for both; holds no bytes of datagrams */
	struct xrd_counts if_shared, if_apart;
	size_t held_bytes;		/* of as_one: always 0 */
	uint8_t hints;			/* numbers that only one counter explains */
};

/* Begin to learn when a second stream comes. of: counter of the first stream. */
struct numbering *numbering_begin(const struct xrd_order *of);

/*
 * Add a datagram to the counter of its stream. Returns what the numbers tell so far. After an
 * answer other than XRD_NUMBERS_UNKNOWN, call numbering_settle().
 */
enum xrd_numbering numbering_add(struct numbering *n, struct xrd_order *stream,
				 const struct xrd_ordered *to, uint16_t seq, struct str datagram,
				 int64_t now);

/* Give up on held datagrams of a stream, as xrd_order_expire() does. */
void numbering_expire(struct numbering *n, struct xrd_order *stream, const struct xrd_ordered *to,
		      int64_t now);

/*
 * Add the counts of the numbering that is more probable to the server's counts, and free n; the
 * streams stay apart.
 */
void numbering_count_guess(struct numbering *n, const struct xrd_ordered *to);

/*
 * Add the counts of this numbering to the server's counts, and free n. If the counter is shared,
 * deliver what both streams hold, and replace the first stream by the shared counter.
 */
void numbering_settle(struct numbering *n, enum xrd_numbering is, struct xrd_order *stream[2],
		      const struct xrd_ordered *to);
