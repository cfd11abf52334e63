/* SPDX-License-Identifier: BSD-3-Clause */
/* numbering.h - learn if a server numbers map records and the f-stream with one counter */
#pragma once

#include "xrootd/join/xrd_order.h"

enum xrd_numbering {
	XRD_NUMBERS_UNKNOWN,
	XRD_NUMBERS_APART,	/* two separate counters, as in XRootD */
	XRD_NUMBERS_SHARED,	/* a single counter for both streams, as in Pelican's origin */
};

/*
 * The test of a server's numbering. Until the answer is known, datagrams are delivered as if the
 * counters were separate, and losses are counted for both answers. Only counts on which both
 * answers agree are added to the server's counts.
 */
struct numbering {
	/* counter of both streams together, for the test only; holds no datagrams */
	struct xrd_order as_one;
	struct xrd_counts if_shared, if_apart;
	size_t held_bytes;		/* bytes held by .as_one: always 0 */
	uint8_t hints;			/* count of numbers that only a shared counter explains */
};

/* Begin to learn when the second stream arrives. of: the counter of the first stream. */
struct numbering *numbering_begin(const struct xrd_order *of);

/*
 * Add a datagram to the counter of its stream. Returns what the numbers tell so far. After an
 * answer other than XRD_NUMBERS_UNKNOWN, call numbering_settle().
 */
enum xrd_numbering numbering_add(struct numbering *n, struct xrd_order *stream,
				 const struct xrd_ordered *to, uint16_t seq, struct str datagram,
				 int64_t now);

/* Stop waiting for missing datagrams of a stream, as xrd_order_expire() does. */
void numbering_expire(struct numbering *n, struct xrd_order *stream, const struct xrd_ordered *to,
		      int64_t now);

/*
 * Add the counts of the more probable numbering to the server's counts, and free n. The streams
 * keep separate counters.
 */
void numbering_count_guess(struct numbering *n, const struct xrd_ordered *to);

/*
 * Add the counts of this numbering to the server's counts, and free n. If the counter is shared,
 * deliver what both streams hold, and replace the first stream by the shared counter.
 */
void numbering_settle(struct numbering *n, enum xrd_numbering is, struct xrd_order *stream[2],
		      const struct xrd_ordered *to);
