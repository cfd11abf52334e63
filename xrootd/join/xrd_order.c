/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_order.c - deliver numbered datagrams in order, and count lost datagrams */
#include "xrootd/join/xrd_order.h"

#include <stdlib.h>
#include <string.h>

static uint16_t order_ahead(const struct xrd_order *o, uint16_t seq)
{
	return (uint16_t)((seq + o->wrap - o->next) % o->wrap);
}

uint16_t xrd_order_distance(const struct xrd_order *o, uint16_t seq)
{
	uint16_t least = o->wrap, n = order_ahead(o, seq % o->wrap);
	for (size_t i = 0; o->started && i <= o->n_held; i++) {
		uint16_t after = i ? order_ahead(o, (uint16_t)((o->held[i - 1].seq + 1) % o->wrap))
				   : 0;
		uint16_t far = (uint16_t)(n > after ? n - after : after - n);
		if (far > o->wrap - far)
			far = (uint16_t)(o->wrap - far);
		least = far < least ? far : least;
	}
	return least;
}

/* Advance the expected number by n, and mark these n numbers as lost or as seen. */
static void order_pass(struct xrd_order *o, uint16_t n, bool lost)
{
	for (uint16_t i = 0; i < n; i++) {
		o->seen = o->seen << 1 | !lost;
		o->lost = o->lost << 1 | lost;
	}
	o->next = (uint16_t)((o->next + n) % o->wrap);
}

static void order_deliver(struct xrd_order *o, const struct xrd_ordered *to, struct str s,
			  int64_t at)
{
	order_pass(o, 1, false);
	to->deliver(to->arg, s, at);
}

static void order_drop_held(struct xrd_order *o, const struct xrd_ordered *to, size_t i)
{
	*to->held_bytes -= o->held[i].n;
	free(o->held[i].p);
	o->held[i] = o->held[--o->n_held];
}

/* Find the held datagram whose number comes next. At least one datagram must be held. */
static size_t order_first_held(const struct xrd_order *o)
{
	size_t best = 0;
	for (size_t i = 1; i < o->n_held; i++)
		if (order_ahead(o, o->held[i].seq) < order_ahead(o, o->held[best].seq))
			best = i;
	return best;
}

/* Count the numbers before the first held datagram as lost, and deliver this datagram. */
static void order_give_up(struct xrd_order *o, const struct xrd_ordered *to)
{
	size_t i = order_first_held(o);
	struct xrd_held h = o->held[i];
	uint16_t gap = order_ahead(o, h.seq);
	to->counts->n[XRD_LOST] += gap;
	to->counts->n[XRD_GAPS] += gap != 0;
	order_pass(o, gap, true);
	order_deliver(o, to, (struct str){ h.p, h.n }, h.arrived);
	order_drop_held(o, to, i);
}

/* Deliver held datagrams up to the next missing number. */
static void order_deliver_held(struct xrd_order *o, const struct xrd_ordered *to)
{
	while (o->n_held && order_ahead(o, o->held[order_first_held(o)].seq) == 0)
		order_give_up(o, to);
}

static bool order_is_held(const struct xrd_order *o, uint16_t seq)
{
	for (size_t i = 0; i < o->n_held; i++)
		if (o->held[i].seq == seq)
			return true;
	return false;
}

static void order_hold(struct xrd_order *o, const struct xrd_ordered *to, uint16_t seq,
		       struct str s,
		       int64_t now)
{
	struct xrd_held *h = &o->held[o->n_held++];
	*h = (struct xrd_held){ xrealloc(NULL, s.n + !s.n), s.n, seq, now };
	if (s.n)
		memcpy(h->p, s.p, s.n);
	*to->held_bytes += s.n;
	to->counts->n[XRD_REORDERED]++;
	while (o->n_held == XRD_ORDER_HELD || (o->n_held && *to->held_bytes > to->held_bytes_max))
		order_give_up(o, to);
	order_deliver_held(o, to);
}

/* Handle a datagram that is n numbers late, 1 to XRD_ORDER_WINDOW. */
static void order_accept_late(struct xrd_order *o, const struct xrd_ordered *to, uint16_t n,
			      struct str s,
			      int64_t now)
{
	uint32_t bit = (uint32_t)1 << (n - 1);
	if (o->seen & bit) {
		/* the number is from a second counter of the same port: the datagram is new */
		if (s.n)
			to->deliver(to->arg, s, now);
		return;
	}
	if (o->lost & bit)
		to->counts->n[XRD_LOST]--;
	to->counts->n[XRD_REORDERED]++;
	o->seen |= bit;
	o->lost &= ~bit;
	to->deliver(to->arg, s, now);
}

/*
 * Check if a number that lies a little behind the expected number is late. After a long silence the
 * counter has wrapped instead: the datagrams between were lost, or went to a receiver that was
 * killed.
 */
static bool order_can_be_late(const struct xrd_order *o, uint16_t n, int64_t now)
{
	return o->wrap - n <= XRD_ORDER_WINDOW && now - o->newest <= XRD_ORDER_LATE;
}

enum xrd_order_place xrd_order_place(const struct xrd_order *o, uint16_t seq, int64_t now)
{
	uint16_t n = order_ahead(o, seq % o->wrap);
	if (!o->started)
		return XRD_PLACE_FIRST;
	if (order_is_held(o, seq % o->wrap))
		return XRD_PLACE_SEEN;
	if (xrd_order_distance(o, seq) == 0)
		return XRD_PLACE_NEXT;
	if (!order_can_be_late(o, n, now))
		return XRD_PLACE_FAR;
	return o->seen & (uint32_t)1 << (o->wrap - n - 1) ? XRD_PLACE_SEEN : XRD_PLACE_LATE;
}

void xrd_order_add(struct xrd_order *o, const struct xrd_ordered *to, uint16_t seq,
		   struct str datagram, int64_t now)
{
	seq %= o->wrap;
	if (!o->started) {
		o->started = true;
		o->next = seq;
	}
	to->counts->n[XRD_RECEIVED]++;
	xrd_order_expire(o, to, now);
	uint16_t n = order_ahead(o, seq);
	if (n == 0) {
		order_deliver(o, to, datagram, now);
		order_deliver_held(o, to);
	} else if (order_can_be_late(o, n, now)) {
		order_accept_late(o, to, (uint16_t)(o->wrap - n), datagram, now);
	} else if (n > XRD_ORDER_WINDOW) {	/* too many are missing to wait for them */
		xrd_order_expire(o, to, INT64_MAX);
		n = order_ahead(o, seq);
		to->counts->n[XRD_LOST] += n;
		to->counts->n[XRD_GAPS] += n != 0;
		order_pass(o, n, true);
		order_deliver(o, to, datagram, now);
	} else if (order_is_held(o, seq)) {
		if (datagram.n)
			to->deliver(to->arg, datagram, now);
	} else {
		order_hold(o, to, seq, datagram, now);
	}
	o->newest = now;
}

void xrd_order_expire(struct xrd_order *o, const struct xrd_ordered *to, int64_t now)
{
	for (size_t i = 0; i < o->n_held; i++) {
		if (now - XRD_ORDER_WAIT < o->held[i].arrived)
			continue;
		order_give_up(o, to);
		order_deliver_held(o, to);
		/* start again, because the array has changed */
		i = (size_t)-1;
	}
}

void xrd_order_free(struct xrd_order *o, const struct xrd_ordered *to)
{
	while (o->n_held)
		order_drop_held(o, to, o->n_held - 1);
}
