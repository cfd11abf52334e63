/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.c - bytes over time, in as many steps of one length as have room */
#include "tracers/files/rates.h"

#include <string.h>

#define WIDTH 1000000

static void put(struct rates *r, size_t i, uint64_t read, uint64_t written)
{
	r->step[i].read += read;
	r->step[i].written += written;
}

/* Steps of twice the length. */
static void widen(struct rates *r)
{
	struct rates wide = { .width = r->width * 2, .base = r->base / 2 };

	for (size_t i = 0; i < r->n; i++) {
		size_t to = (size_t)((r->base + (int64_t)i) / 2 - wide.base);
		put(&wide, to, r->step[i].read, r->step[i].written);
		wide.n = to + 1;
	}
	*r = wide;
}

/* Steps without bytes, so that there is one of this number. False: there is no room for it. */
static bool reach(struct rates *r, int64_t number)
{
	if (r->n == 0)
		r->base = number;
	if (number < r->base) {
		int64_t more = r->base - number;
		if (more + (int64_t)r->n > RATES_MAX)
			return false;
		memmove(r->step + more, r->step, r->n * sizeof(*r->step));
		memset(r->step, 0, (size_t)more * sizeof(*r->step));
		r->base = number;
		r->n += (size_t)more;
	}
	if (number - r->base >= RATES_MAX)
		return false;
	for (; r->base + (int64_t)r->n <= number; r->n++)
		memset(&r->step[r->n], 0, sizeof(*r->step));
	return true;
}

void rates_add(struct rates *r, int64_t at, uint64_t read, uint64_t written)
{
	if (at < 0)
		return;
	if (r->width == 0)
		r->width = WIDTH;
	while (!reach(r, at / r->width))
		widen(r);
	put(r, (size_t)(at / r->width - r->base), read, written);
}
