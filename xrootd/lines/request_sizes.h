/* SPDX-License-Identifier: BSD-3-Clause */
/* request_sizes.h - how many requests an access had, and how large they were */
#pragma once

#include "tracers/xrootd/join/byte_counts.h"

/* A kind of request; bytes by pgread, pgwrite and writev belong to none of these kinds. */
struct request_sizes {
	bool known;		/* .n is */
	int64_t bytes, n;	/* .bytes: -1 where they are not known */
	int32_t min, max;	/* .min > .max: not known */
	double squares;
	bool has_squares;
};

struct all_sizes {
	struct request_sizes single, vector, write;
	struct request_sizes segments;	/* of vectors: their number, not bytes */
	struct request_sizes reads;	/* both ways to read together */
};

/* close: the record of it, or NULL. */
struct all_sizes all_sizes_of(const struct byte_counts *all, const struct xrd_record *close);

/* .min and .max are sizes of requests. */
bool has_sizes(const struct request_sizes *k);

/*
 * Only if all requests are in all of the sums: their bytes then lie between n times the smallest
 * and n times the largest.
 */
bool has_sigma(const struct request_sizes *k);
double sigma_of(const struct request_sizes *k);
bool has_average(const struct request_sizes *k);
/* 0 where it is not known. */
double average_of(const struct request_sizes *k);
int64_t requests_of(const struct request_sizes *k);
