/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.h - find the access pattern of a process in a file: sequential, strided, random, ... */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum order {
	ORDER_NONE,		/* there was no request */
	ORDER_SEQUENTIAL,	/* each request starts where the last one ended */
	ORDER_STRIDED,		/* a constant positive distance between the starts of requests */
	ORDER_BACKWARD,		/* a constant negative distance between the starts of requests */
	ORDER_RANDOM,
	/* for several processes: they access the file in different orders */
	ORDER_MIXED,
	ORDERS,
};
extern const char *const order_names[ORDERS];

/* The requests of one process in one file. All zero is a valid empty value. */
struct request_flow {
	uint64_t n, bytes;
	uint64_t from, to;		/* all requests are within [from, to) */
	uint64_t last, next;		/* start and end of the last request */
	/* distance between the starts of the last two requests */
	int64_t stride;
	/* numbers of requests that followed each order */
	uint64_t sequential, strided, backward;
};

/*
 * Add a request. Returns true if the request jumps: it is not the first, and starts neither where
 * the last request ended nor at offset 0.
 */
bool flow_add(struct request_flow *f, uint64_t position, uint64_t bytes);
/*
 * Return the order that at least nine of ten requests follow; ORDER_NONE if there was no request;
 * or ORDER_RANDOM.
 */
enum order flow_order(const struct request_flow *f);
