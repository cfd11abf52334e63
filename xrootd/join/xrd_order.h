/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_order.h - deliver datagrams of one counter in order, and count lost datagrams */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

#define XRD_ORDER_WINDOW 32		/* numbers by which a datagram may be early or late */
#define XRD_ORDER_HELD   16	/* limit of datagrams that are held until a missing one arrives */
#define XRD_ORDER_WAIT   1000000	/* how long a datagram is held, in microseconds */
#define XRD_ORDER_LATE   60000000	/* how late a datagram may be, in microseconds */

/* Counts of a server: datagrams, their records, and the accesses made of these records. */
enum xrd_count {
	XRD_RECEIVED, XRD_LOST, XRD_REORDERED, XRD_DUPLICATE,
	XRD_GAPS,		/* sequences of consecutive lost datagrams */
	XRD_DAMAGED,		/* datagrams that were not completely understood */
	XRD_RECORDS,
	XRD_FORGOTTEN,		/* users and files evicted for lack of memory */
	XRD_JOINED, XRD_INCOMPLETE,	/* complete accesses; accesses with something missing */
	XRD_COUNTS
};

struct xrd_counts {
	uint64_t n[XRD_COUNTS];
};

static inline void xrd_counts_add(struct xrd_counts *to, const struct xrd_counts *c)
{
	for (size_t i = 0; i < XRD_COUNTS; i++)
		to->n[i] += c->n[i];
}

struct xrd_held {
	char *p;
	size_t n;
	uint16_t seq;
	int64_t arrived;
};

/* All zero except wrap is a valid initial state. */
struct xrd_order {
	uint16_t wrap;		/* numbers run from 0 to wrap - 1 */
	bool started;
	uint16_t next;		/* number expected next */
	int64_t newest;		/* arrival of the last datagram, in microseconds */
	uint32_t seen, lost;	/* bit i stands for the number .next - 1 - i */
	size_t n_held;
	struct xrd_held held[XRD_ORDER_HELD];
};

struct xrd_ordered {
	struct xrd_counts *counts;
	/* bytes held by all orders together, and their limit */
	size_t *held_bytes, held_bytes_max;
	void (*deliver)(void *arg, struct str datagram, int64_t arrived);
	void *arg;
};

/*
 * Get the distance of a number from the expected number, or from the number after a held datagram
 * if that is nearer. Returns wrap if no datagram has arrived yet.
 */
uint16_t xrd_order_distance(const struct xrd_order *o, uint16_t seq);

/* Place of a number in its counter, compared with the expected number. */
enum xrd_order_place {
	XRD_PLACE_FIRST,	/* no datagram has arrived yet */
	/* the number follows the number of the last datagram, or of a held datagram */
	XRD_PLACE_NEXT,
	XRD_PLACE_SEEN,		/* a datagram with this number arrived a moment ago */
	XRD_PLACE_LATE,		/* a datagram with this number was counted as lost */
	XRD_PLACE_FAR,		/* numbers before this one are missing */
};
enum xrd_order_place xrd_order_place(const struct xrd_order *o, uint16_t seq, int64_t now);

/*
 * Deliver the datagram now or later. For a copy of a datagram, pass an empty text, so that only its
 * number is used.
 */
void xrd_order_add(struct xrd_order *o, const struct xrd_ordered *to, uint16_t seq,
		   struct str datagram, int64_t now);

/*
 * Stop waiting for missing datagrams if later datagrams were held for XRD_ORDER_WAIT. If now is
 * INT64_MAX, stop waiting for all.
 */
void xrd_order_expire(struct xrd_order *o, const struct xrd_ordered *to, int64_t now);

void xrd_order_free(struct xrd_order *o, const struct xrd_ordered *to);
