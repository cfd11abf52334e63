/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_order.h - datagrams of one counter in the order of their numbers, and which were lost */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

#define XRD_ORDER_WINDOW 32		/* numbers that can be out of order, early or late */
#define XRD_ORDER_HELD   16		/* datagrams that wait for one before them */
#define XRD_ORDER_WAIT   1000000	/* microseconds that they wait */
#define XRD_ORDER_LATE   60000000	/* microseconds that a datagram may be late */

/* Counts of a server: datagrams, records in them, and how these ended. */
enum xrd_count {
	XRD_RECEIVED, XRD_LOST, XRD_REORDERED, XRD_DUPLICATE,
	XRD_GAPS,		/* places where datagrams, one or more, were lost */
	XRD_DAMAGED,		/* datagrams of which a part was not understood */
	XRD_RECORDS,
	XRD_FORGOTTEN,		/* users and files, for want of memory */
	XRD_JOINED, XRD_INCOMPLETE,	/* accesses to files: whole, with something missing */
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

/* All zero but .wrap is one that has seen nothing yet. */
struct xrd_order {
	uint16_t wrap;		/* numbers are 0 to wrap - 1 */
	bool started;
	uint16_t next;		/* the number that is expected */
	int64_t newest;		/* when the last one arrived */
	uint32_t seen, lost;	/* bit i: of number next - 1 - i */
	size_t n_held;
	struct xrd_held held[XRD_ORDER_HELD];
};

struct xrd_ordered {
	struct xrd_counts *counts;
	size_t *held_bytes, held_bytes_max;	/* in all orders together */
	void (*deliver)(void *arg, struct str datagram, int64_t arrived);
	void *arg;
};

/*
 * How far the number is from the one that is expected, also after what is held; all there are if
 * it has seen nothing yet.
 */
uint16_t xrd_order_distance(const struct xrd_order *o, uint16_t seq);

/* Delivers the datagram now or later. Of one that was here before, its number: it is empty. */
void xrd_order_add(struct xrd_order *o, const struct xrd_ordered *to, uint16_t seq,
		   struct str datagram, int64_t now);

/* Gives up on what has been waited for since before now - XRD_ORDER_WAIT; INT64_MAX: on all. */
void xrd_order_expire(struct xrd_order *o, const struct xrd_ordered *to, int64_t now);

void xrd_order_free(struct xrd_order *o, const struct xrd_ordered *to);
