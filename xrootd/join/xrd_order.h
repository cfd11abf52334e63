/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_order.h - deliver numbered datagrams in order, and count lost datagrams */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

#define XRD_ORDER_WINDOW 32		/* how many numbers a datagram may be early or late */
/* maximum number of datagrams held until a missing datagram arrives */
#define XRD_ORDER_HELD   16
#define XRD_ORDER_WAIT   1000000	/* how long a datagram is held, in microseconds */
/* how late a missing datagram may arrive, in microseconds */
#define XRD_ORDER_LATE   60000000

/* Counts of a server: its datagrams, their records, and accesses to its files. */
enum xrd_count {
	XRD_RECEIVED, XRD_LOST, XRD_REORDERED, XRD_DUPLICATE,
	XRD_GAPS,		/* gaps in the sequence of datagrams */
	XRD_DAMAGED,		/* datagrams that were not completely understood */
	XRD_RECORDS,
	XRD_FORGOTTEN,		/* users and files evicted for lack of memory */
	XRD_JOINED, XRD_INCOMPLETE,	/* accesses with and without all their records */
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

/*
 * The sequence numbers that a server gives to its datagrams, and datagrams that are held until
 * missing ones arrive. The initial state is all zero except .wrap.
 */
struct xrd_order {
	uint16_t wrap;		/* numbers run from 0 to wrap - 1 */
	bool started;
	uint16_t next;		/* number expected next */
	int64_t newest;		/* arrival of the last datagram, in microseconds */
	uint32_t seen, lost;	/* bit i: number .next - 1 - i was seen, or was counted as lost */
	size_t n_held;
	struct xrd_held held[XRD_ORDER_HELD];
};

struct xrd_ordered {
	struct xrd_counts *counts;
	/* bytes held by all counters together, and the limit */
	size_t *held_bytes, held_bytes_max;
	/* called with each datagram, and with an empty text for a copy */
	void (*deliver)(void *arg, struct str datagram, int64_t arrived);
	void *arg;
};

/*
 * Get the distance of a number from the nearest number that may come next: the expected number, or
 * the number after a held datagram. Returns wrap if no datagram has arrived yet.
 */
uint16_t xrd_order_distance(const struct xrd_order *o, uint16_t seq);

/* How a number fits into the sequence of its counter. */
enum xrd_order_place {
	XRD_PLACE_FIRST,	/* no datagram has arrived yet */
	/* the number is the expected number, or follows a held datagram */
	XRD_PLACE_NEXT,
	XRD_PLACE_SEEN,		/* a datagram with this number arrived a moment ago */
	XRD_PLACE_LATE,		/* a little behind the expected number, and not yet seen */
	XRD_PLACE_FAR,		/* datagrams before this number are missing */
};
enum xrd_order_place xrd_order_place(const struct xrd_order *o, uint16_t seq, int64_t now);

/*
 * Add a datagram, and deliver it now or, if earlier datagrams are missing, later. For a copy of a
 * datagram, pass an empty text: only its number counts.
 */
void xrd_order_add(struct xrd_order *o, const struct xrd_ordered *to, uint16_t seq,
		   struct str datagram, int64_t now);

/*
 * Stop waiting for missing datagrams if later datagrams were held for XRD_ORDER_WAIT, or at once if
 * now is INT64_MAX.
 */
void xrd_order_expire(struct xrd_order *o, const struct xrd_ordered *to, int64_t now);

/* Drop the held datagrams without delivering them. Does not free o. */
void xrd_order_free(struct xrd_order *o, const struct xrd_ordered *to);
