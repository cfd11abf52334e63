/* SPDX-License-Identifier: BSD-3-Clause */
/* request_sizes.h - how large the requests of an access were, as its close reports */
#pragma once

#include "formats/xrootd/xrdstream.h"

/* One kind of request; from pgread, pgwrite and writev come bytes that none of these knows of. */
struct request_sizes {
	bool known;
	int64_t bytes, n;
	int32_t min, max;
	double squares;
	bool has_squares;
};

struct all_sizes {
	struct request_sizes single, vector, write;
	struct request_sizes segments;	/* of vectors: their number, not bytes */
	struct request_sizes reads;	/* both ways to read together */
};

/* closed: it is a close, else nothing is known. */
struct all_sizes all_sizes_of(const struct xrd_record *c, bool closed);

/* .min and .max are sizes of requests. */
bool has_sizes(const struct request_sizes *k);

/*
 * Only if all requests are in all of the sums: their bytes then lie between n times the smallest
 * and n times the largest.
 */
bool has_sigma(const struct request_sizes *k);
double sigma_of(const struct request_sizes *k);
double average_of(const struct request_sizes *k);	/* not a number without requests */

/* What a server sends may be anything: the most there is, not an overflow. */
int64_t bytes_plus(int64_t a, int64_t b);
