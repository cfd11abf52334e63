/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.c - find the access pattern of a process in a file: sequential, strided, random, ... */
#include "filetrace/flow.h"

const char *const order_names[ORDERS] = {
	[ORDER_NONE]       = "none",
	[ORDER_SEQUENTIAL] = "sequential",
	[ORDER_STRIDED]    = "strided",
	[ORDER_BACKWARD]   = "backward",
	[ORDER_RANDOM]     = "random",
	[ORDER_MIXED]      = "mixed",
};

static uint64_t flow_saturating_add(uint64_t position, uint64_t bytes)
{
	return position > UINT64_MAX - bytes ? UINT64_MAX : position + bytes;
}

bool flow_add(struct request_flow *f, uint64_t position, uint64_t bytes)
{
	bool first = f->n++ == 0, jumps = !first && position && position != f->next;
	int64_t stride = (int64_t)(position - f->last);

	if (first || position < f->from)
		f->from = position;
	f->sequential += !first && !jumps;
	if (!first && stride == f->stride) {
		f->strided += stride > 0;
		f->backward += stride < 0;
	}
	f->stride = first ? 0 : stride;
	f->last = position;
	f->next = flow_saturating_add(position, bytes);
	if (f->next > f->to)
		f->to = f->next;
	f->bytes = flow_saturating_add(f->bytes, bytes);
	return jumps;
}

/*
 * Return the order that at least nine of ten steps of a flow follow; a step leads from one request
 * to the next. The first step has no earlier one to compare with, so it counts here as fitting both
 * .strided and .backward.
 */
enum order flow_order(const struct request_flow *f)
{
	uint64_t steps = f->n - 1;

	if (f->n == 0)
		return ORDER_NONE;
	if (f->sequential >= steps - steps / 10)
		return ORDER_SEQUENTIAL;
	if (steps > 1 && f->strided + 1 >= steps - steps / 10)
		return ORDER_STRIDED;
	if (steps > 1 && f->backward + 1 >= steps - steps / 10)
		return ORDER_BACKWARD;
	return ORDER_RANDOM;
}
