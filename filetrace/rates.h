/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.h - sum bytes read and written over time, in at most RATES_MAX steps of equal length */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RATES_MAX 512

/* All zero is a valid empty value. */
struct byte_rates {
	int64_t width;		/* length of a step in nanoseconds: 1 ms times a power of two */
	int64_t base;		/* number of .step[0], counting steps of .width from the epoch */
	size_t n;
	struct {
		uint64_t read, written;
	} step[RATES_MAX];
};

/* Add the bytes of one request. `at` is in nanoseconds since the epoch. */
void rates_add(struct byte_rates *r, int64_t at, uint64_t read, uint64_t written);

/* Get the start of a step, in nanoseconds since the epoch. */
static inline int64_t rates_start(const struct byte_rates *r, size_t step)
{
	return (r->base + (int64_t)step) * r->width;
}
