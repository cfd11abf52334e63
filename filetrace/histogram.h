/* SPDX-License-Identifier: BSD-3-Clause */
/* histogram.h - count numbers in buckets 3 % wide, for percentiles of sizes and durations */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All zero is a valid empty value. */
struct histogram {
	/*
	 * number of values in each bucket: a bucket for each value below 32, then 32 buckets for
	 * each power of two
	 */
	uint64_t *count;
	size_t n, cap;
	uint64_t total, least, most;
};

/* Add v. Returns the number of bytes by which the histogram grew. */
size_t histogram_add(struct histogram *h, uint64_t v);
void histogram_free(struct histogram *h);

/*
 * Return the number that `percent` of all numbers do not exceed, rounded down to the start of its
 * bucket: at most 3 % too low, and exact for powers of two. Returns 0 if the histogram is empty.
 */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/* Count the numbers in the bucket of `from` and in later buckets that start below `to`. */
uint64_t histogram_between(const struct histogram *h, uint64_t from, uint64_t to);
