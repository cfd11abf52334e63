/* SPDX-License-Identifier: BSD-3-Clause */
/* histogram.h - how often numbers came, each known to 3 %: percentiles of sizes and of times */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All zero is a valid empty one. */
struct histogram {
	uint64_t *count;	/* buckets: each number below 32, then 32 for each power of two */
	size_t n, cap;
	uint64_t total, least, most;
};

/* Returns the bytes that it has become larger. */
size_t histogram_add(struct histogram *h, uint64_t v);
void histogram_free(struct histogram *h);

/*
 * The number that this share of all are not above, as the lower end of its bucket, which is at most
 * 3 % below it; powers of two are exact. 0 where there is none.
 */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/* How many of the numbers have their bucket in [from, to). */
uint64_t histogram_between(const struct histogram *h, uint64_t from, uint64_t to);
