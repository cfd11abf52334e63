/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.c - sum bytes read and written over time, in at most RATES_MAX steps of equal length */
#include "filetrace/rates.h"

#include <string.h>

#define WIDTH_MIN_NS 1000000

static void rates_add_to_step(struct byte_rates *r, size_t i, uint64_t read, uint64_t written)
{
	r->step[i].read += read;
	r->step[i].written += written;
}

/* Double the length of the steps, which merges them in pairs. */
static void rates_double_width(struct byte_rates *r)
{
	struct byte_rates wide = { .width = r->width * 2, .base = r->base / 2 };

	for (size_t i = 0; i < r->n; i++) {
		size_t to = (size_t)((r->base + (int64_t)i) / 2 - wide.base);
		rates_add_to_step(&wide, to, r->step[i].read, r->step[i].written);
		wide.n = to + 1;
	}
	*r = wide;
}

/* Add steps until step `number` exists. Returns false if there would be more than RATES_MAX. */
static bool rates_extend_to(struct byte_rates *r, int64_t number)
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

void rates_add(struct byte_rates *r, int64_t at, uint64_t read, uint64_t written)
{
	if (at < 0)
		return;
	if (r->width == 0)
		r->width = WIDTH_MIN_NS;
	while (!rates_extend_to(r, at / r->width))
		rates_double_width(r);
	rates_add_to_step(r, (size_t)(at / r->width - r->base), read, written);
}
