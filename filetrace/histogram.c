/* SPDX-License-Identifier: BSD-3-Clause */
/* histogram.c - count numbers in buckets 3 % wide, for percentiles of sizes and durations */
#include "filetrace/histogram.h"

#include <stdlib.h>
#include "base/vec.h"

/* buckets for each power of two; must be a power of two, for the shifts below */
#define BUCKETS 32
#define BUCKETS_LOG2  5

static size_t histogram_bucket_of(uint64_t v)
{
	if (v < BUCKETS)
		return (size_t)v;
	unsigned top = 63 - (unsigned)__builtin_clzll(v);
	return (size_t)(top - BUCKETS_LOG2 + 1) * BUCKETS + (v >> (top - BUCKETS_LOG2)) % BUCKETS;
}

static uint64_t histogram_bucket_start(size_t bucket)
{
	if (bucket < BUCKETS)
		return bucket;
	return (uint64_t)(BUCKETS + bucket % BUCKETS) << (bucket / BUCKETS - 1);
}

size_t histogram_add(struct histogram *h, uint64_t v)
{
	size_t i = histogram_bucket_of(v), before = h->cap;

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
			return histogram_bucket_start(i) < h->least ?
			       h->least : histogram_bucket_start(i);
	}
	return 0;
}

uint64_t histogram_between(const struct histogram *h, uint64_t from, uint64_t to)
{
	uint64_t n = 0;

	for (size_t i = histogram_bucket_of(from); i < h->n && histogram_bucket_start(i) < to; i++)
		n += h->count[i];
	return n;
}
