/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.h - the requests of a process in a file, one after another: in which order they come */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum order {
	ORDER_NONE,		/* no request */
	ORDER_SEQUENTIAL,	/* each where the last one ended */
	ORDER_STRIDED,		/* each as far after the last one as that after the one before */
	ORDER_BACKWARD,		/* the same, toward the start of the file */
	ORDER_RANDOM,
	ORDER_MIXED,		/* flows of one file that differ */
	ORDERS,
};
extern const char *const order_names[ORDERS];

/* All zero is a valid empty one. */
struct flow {
	uint64_t n, bytes;
	uint64_t from, to;		/* all of it is in [from, to) */
	uint64_t last, next;		/* where the last one began and ended */
	int64_t stride;			/* of the last one to the one before */
	uint64_t sequential, strided, backward;
};

/* A request jumps unless it begins where the last one ended, or at the start of the file. */
bool flow_add(struct flow *f, uint64_t position, uint64_t bytes);
enum order flow_order(const struct flow *f);
