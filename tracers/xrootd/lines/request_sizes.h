/* SPDX-License-Identifier: BSD-3-Clause */
/* request_sizes.h - how large the requests of an access were, as its close reports */
#pragma once

#include "formats/xrootd/xrdstream.h"

/* A kind of request; bytes by pgread, pgwrite and writev belong to none of these kinds. */
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

/* A sum that stays at the end of its scale, because a server may send any number. */
int64_t bytes_plus(int64_t a, int64_t b);
