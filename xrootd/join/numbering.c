/* SPDX-License-Identifier: BSD-3-Clause */
/* numbering.c - find out if a server numbers map records and the f-stream with one counter */
#include "xrootd/join/numbering.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

/* hints that prove a shared counter; a single hint may be an accident after a loss */
#define HINTS_ENOUGH 2

struct numbering *numbering_begin(const struct xrd_order *of)
{
	struct numbering *n = xrealloc(NULL, sizeof(*n));
	*n = (struct numbering){ .as_one = *of };
	for (size_t i = 0; i < of->n_held; i++) {
		n->as_one.held[i].p = xrealloc(NULL, 1);
		n->as_one.held[i].n = 0;
	}
	return n;
}

static void numbering_ignore(void *arg, struct str datagram, int64_t arrived)
{
	(void)arg;
	(void)datagram;
	(void)arrived;
}

static struct xrd_ordered numbering_as_one(struct numbering *n)
{
	return (struct xrd_ordered){ .counts = &n->if_shared, .held_bytes = &n->held_bytes,
				     .deliver = numbering_ignore };
}

static struct xrd_ordered numbering_apart(struct numbering *n, const struct xrd_ordered *to)
{
	struct xrd_ordered apart = *to;
	apart.counts = &n->if_apart;
	return apart;
}

/*
 * Add to the server's counts those on which both cases agree: all, or else the received datagrams.
 */
static void numbering_count(struct numbering *n, const struct xrd_ordered *to)
{
	if (memcmp(&n->if_shared, &n->if_apart, sizeof(n->if_shared)) == 0) {
		xrd_counts_add(to->counts, &n->if_apart);
		n->if_shared = n->if_apart = (struct xrd_counts){ .n = { 0 } };
		return;
	}
	to->counts->n[XRD_RECEIVED] += n->if_apart.n[XRD_RECEIVED];
	n->if_apart.n[XRD_RECEIVED] = n->if_shared.n[XRD_RECEIVED] = 0;
}

/*
 * Judge by the number of one datagram. If a shared counter has used the number before, or if the
 * number is the next one only for the datagram's own stream, there are two counters. If the number
 * is the next one only for a shared counter, this is a hint at a shared counter.
 */
static enum xrd_numbering numbering_judge(struct numbering *n, const struct xrd_order *stream,
					  uint16_t seq, int64_t now)
{
	enum xrd_order_place one = xrd_order_place(&n->as_one, seq, now);
	enum xrd_order_place own = xrd_order_place(stream, seq, now);
	if (one == XRD_PLACE_SEEN || (own == XRD_PLACE_NEXT && one == XRD_PLACE_FAR))
		return XRD_NUMBERS_APART;
	n->hints += one == XRD_PLACE_NEXT && own == XRD_PLACE_FAR;
	return n->hints >= HINTS_ENOUGH ? XRD_NUMBERS_SHARED : XRD_NUMBERS_UNKNOWN;
}

enum xrd_numbering numbering_add(struct numbering *n, struct xrd_order *stream,
				 const struct xrd_ordered *to, uint16_t seq, struct str datagram,
				 int64_t now)
{
	const struct xrd_ordered apart = numbering_apart(n, to), as_one = numbering_as_one(n);
	/*
	 * do not judge the number of a forwarded or repeated datagram: it is from another sender's
	 * counter, or was seen before
	 */
	enum xrd_numbering is = datagram.n ? numbering_judge(n, stream, seq, now)
					   : XRD_NUMBERS_UNKNOWN;
	xrd_order_add(stream, &apart, seq, datagram, now);
	xrd_order_add(&n->as_one, &as_one, seq, STR(""), now);
	numbering_count(n, to);
	return is;
}

void numbering_expire(struct numbering *n, struct xrd_order *stream, const struct xrd_ordered *to,
		      int64_t now)
{
	const struct xrd_ordered apart = numbering_apart(n, to), as_one = numbering_as_one(n);
	xrd_order_expire(stream, &apart, now);
	xrd_order_expire(&n->as_one, &as_one, now);
	numbering_count(n, to);
}

static void numbering_free(struct numbering *n)
{
	const struct xrd_ordered as_one = numbering_as_one(n);
	xrd_order_free(&n->as_one, &as_one);
	free(n);
}

void numbering_count_guess(struct numbering *n, const struct xrd_ordered *to)
{
	xrd_counts_add(to->counts, n->hints ? &n->if_shared : &n->if_apart);
	numbering_free(n);
}

void numbering_settle(struct numbering *n, enum xrd_numbering is, struct xrd_order *stream[2],
		      const struct xrd_ordered *to)
{
	const struct xrd_ordered apart = numbering_apart(n, to);
	if (is != XRD_NUMBERS_SHARED) {
		xrd_counts_add(to->counts, &n->if_apart);
		numbering_free(n);
		return;
	}
	xrd_counts_add(to->counts, &n->if_shared);
	for (size_t i = 0; i < 2; i++)
		xrd_order_expire(stream[i], &apart, INT64_MAX);
	*stream[0] = n->as_one;
	free(stream[1]);
	stream[1] = NULL;
	free(n);
}
