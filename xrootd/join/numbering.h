/* SPDX-License-Identifier: BSD-3-Clause */
/* numbering.h - find out if a server numbers map records and the f-stream with one counter */
#pragma once

#include "xrootd/join/xrd_order.h"

enum xrd_numbering {
	XRD_NUMBERS_UNKNOWN,
	XRD_NUMBERS_APART,	/* two separate counters, as in XRootD */
	XRD_NUMBERS_SHARED,	/* a single counter for both streams, as in Pelican's origin */
};

/*
 * A test that finds out how a server numbers its datagrams. During the test, datagrams are
 * delivered as if there were two counters, and losses are counted for both cases. Only counts on
 * which both cases agree are added to the server's counts.
 */
struct numbering {
	/* the counter if both streams share it; holds numbers of datagrams, with empty texts */
	struct xrd_order as_one;
	struct xrd_counts if_shared, if_apart;
	size_t held_bytes;		/* bytes held by .as_one: always 0 */
	uint8_t hints;	/* number of datagrams that only a shared counter explains */
};

/* Begin the test, before the second stream's first datagram. of: counter of the first stream. */
struct numbering *numbering_begin(const struct xrd_order *of);

/*
 * Add a datagram to the counter of its stream. Returns the result of the test; if it is not
 * XRD_NUMBERS_UNKNOWN, call numbering_settle().
 */
enum xrd_numbering numbering_add(struct numbering *n, struct xrd_order *stream,
				 const struct xrd_ordered *to, uint16_t seq, struct str datagram,
				 int64_t now);

/* Stop waiting for missing datagrams of a stream, as xrd_order_expire() does. */
void numbering_expire(struct numbering *n, struct xrd_order *stream, const struct xrd_ordered *to,
		      int64_t now);

/*
 * End the test without a result: add the counts of the more probable case to the server's counts,
 * and free n.
 */
void numbering_count_guess(struct numbering *n, const struct xrd_ordered *to);

/*
 * End the test: add the counts of the right case to the server's counts, and free n. If the counter
 * is shared, deliver held datagrams and replace both streams' counters by the shared counter.
 */
void numbering_settle(struct numbering *n, enum xrd_numbering is, struct xrd_order *stream[2],
		      const struct xrd_ordered *to);
