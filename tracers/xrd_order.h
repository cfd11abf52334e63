/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_order.h - datagrams of one counter in the order of their numbers, and which were lost */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

#define XRD_ORDER_WINDOW 32		/* numbers ahead or behind that can be out of order */
#define XRD_ORDER_HELD   16		/* datagrams that wait for one before them */
#define XRD_ORDER_WAIT   1000000	/* microseconds that they wait */

struct xrd_counts {
	uint64_t received, lost, reordered, duplicate;
};

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
	uint32_t seen, lost;	/* bit i: of number next - 1 - i */
	size_t n_held;
	struct xrd_held held[XRD_ORDER_HELD];
};

/* What all orders share. */
struct xrd_ordered {
	struct xrd_counts *counts;
	size_t *held_bytes, held_bytes_max;	/* in all orders together */
	void (*deliver)(void *arg, struct str datagram, int64_t arrived);
	void *arg;
};

/* Delivers the datagram now, later, or, if it is here for the second time, never. */
void xrd_order_add(struct xrd_order *o, const struct xrd_ordered *to, uint16_t seq,
		   struct str datagram, int64_t now);

/* Gives up on what has been waited for since before now - XRD_ORDER_WAIT; INT64_MAX: on all. */
void xrd_order_expire(struct xrd_order *o, const struct xrd_ordered *to, int64_t now);

void xrd_order_free(struct xrd_order *o, const struct xrd_ordered *to);
