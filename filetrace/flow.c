/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.c - the requests of a process in a file, one after another: in which order they come */
#include "tracers/files/flow.h"

const char *const order_names[ORDERS] = {
	[ORDER_NONE]       = "none",
	[ORDER_SEQUENTIAL] = "sequential",
	[ORDER_STRIDED]    = "strided",
	[ORDER_BACKWARD]   = "backward",
	[ORDER_RANDOM]     = "random",
	[ORDER_MIXED]      = "mixed",
};

static uint64_t end_of(uint64_t position, uint64_t bytes)
{
	return position > UINT64_MAX - bytes ? UINT64_MAX : position + bytes;
}

bool flow_add(struct flow *f, uint64_t position, uint64_t bytes)
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
	f->next = end_of(position, bytes);
	if (f->next > f->to)
		f->to = f->next;
	f->bytes = end_of(f->bytes, bytes);
	return jumps;
}

/* Nine of ten steps decide; the first step of a stride has none before it. */
enum order flow_order(const struct flow *f)
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
