/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.h - bytes over time, in as many steps of one length as have room */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RATES_MAX 512

/* All zero is a valid empty one. */
struct rates {
	int64_t width;		/* of a step, nanoseconds: 1 ms, times a power of two */
	int64_t base;		/* number of the first step, counted from the epoch */
	size_t n;
	struct {
		uint64_t read, written;
	} step[RATES_MAX];
};

/* Bytes at a time, nanoseconds of the epoch. */
void rates_add(struct rates *r, int64_t at, uint64_t read, uint64_t written);

static inline int64_t rates_start(const struct rates *r, size_t step)
{
	return (r->base + (int64_t)step) * r->width;
}
