/* SPDX-License-Identifier: BSD-3-Clause */
/* histogram.c - how often numbers came, each known to 3 %: percentiles of sizes and of times */
#include "tracers/files/histogram.h"

#include <stdlib.h>
#include "base/vec.h"

#define PARTS 32	/* of each power of two; a power of two itself, for the shifts below */
#define BITS  5

static size_t bucket_of(uint64_t v)
{
	if (v < PARTS)
		return (size_t)v;
	unsigned top = 63 - (unsigned)__builtin_clzll(v);
	return (size_t)(top - BITS + 1) * PARTS + (v >> (top - BITS)) % PARTS;
}

static uint64_t lower_end(size_t bucket)
{
	if (bucket < PARTS)
		return bucket;
	return (uint64_t)(PARTS + bucket % PARTS) << (bucket / PARTS - 1);
}

size_t histogram_add(struct histogram *h, uint64_t v)
{
	size_t i = bucket_of(v), before = h->cap;

	if (i >= h->n) {
		h->count = vec_reserve(h->count, &h->cap, i + 1, sizeof(*h->count));
		for (; h->n <= i; h->n++)
			h->count[h->n] = 0;
	}
	h->count[i]++;
	if (h->total == 0 || v < h->least)
		h->least = v;
	if (v > h->most)
		h->most = v;
	h->total++;
	return (h->cap - before) * sizeof(*h->count);
}

void histogram_free(struct histogram *h)
{
	free(h->count);
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
	double want = (double)h->total * percent / 100, sum = 0;

	for (size_t i = 0; i < h->n; i++) {
		sum += (double)h->count[i];
		if (h->count[i] && sum >= want)
			return lower_end(i) < h->least ? h->least : lower_end(i);
	}
	return 0;
}

uint64_t histogram_between(const struct histogram *h, uint64_t from, uint64_t to)
{
	uint64_t n = 0;

	for (size_t i = bucket_of(from); i < h->n && lower_end(i) < to; i++)
		n += h->count[i];
	return n;
}
