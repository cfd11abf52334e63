/* SPDX-License-Identifier: BSD-3-Clause */
/* request_sizes.h - number and sizes of the requests of an access */
#pragma once

#include "xrootd/join/byte_counts.h"

/*
 * Requests of one kind. .min, .max and .squares leave out pgread, pgwrite and writev, which .n and
 * .bytes may include.
 */
struct request_sizes {
	bool known;		/* the number of requests is known */
	int64_t bytes, n;	/* .bytes is -1 if unknown */
	int32_t min, max;	/* .min is larger than .max: both are unknown */
	double squares;		/* sum of the squares of all sizes; only if .has_squares */
	bool has_squares;
};

struct all_sizes {
	struct request_sizes single, vector, write;
	struct request_sizes segments;	/* number of segments in each vector read, not bytes */
	struct request_sizes reads;	/* single and vector reads together */
};

/* Get all sizes. close: the close record, or NULL. */
struct all_sizes all_sizes_of(const struct byte_counts *all, const struct xrd_record *close);

/* Check if the smallest and largest size are known. */
bool has_sizes(const struct request_sizes *k);

/*
 * Check if the standard deviation is known. .bytes and .squares must be sums of the same requests,
 * so .bytes must lie between n times the smallest and n times the largest size.
 */
bool has_sigma(const struct request_sizes *k);
/* Compute the standard deviation. has_sigma() must be true. */
double sigma_of(const struct request_sizes *k);
bool has_average(const struct request_sizes *k);
/* Get the average size. Returns 0 if unknown. */
double average_of(const struct request_sizes *k);
/* Get the number of requests. Returns 0 if unknown. */
int64_t requests_of(const struct request_sizes *k);
