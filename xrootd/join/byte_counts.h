/* SPDX-License-Identifier: BSD-3-Clause */
/* byte_counts.h - how many bytes an access moved, and how reliable the counts are */
#pragma once

#include "xrootd/join/xrd_accesses.h"

enum certainty {
	BYTES_EXACT,
	BYTES_AT_LEAST,
	BYTES_UNKNOWN,		/* the value of .bytes is undefined */
};

enum bytes_from {
	FROM_NOTHING,
	FROM_CLOSE,		/* close record of the f-stream */
	FROM_REPORT,		/* last report (xfr) of an open file in the f-stream */
	FROM_REQUESTS,		/* sum of the requests (io, iov) in the t-stream */
	FROM_COPY,		/* size of a third-party copy in the g-stream */
};

struct byte_count {
	enum certainty is;
	enum bytes_from from;
	int64_t bytes;
	int64_t n;		/* number of requests, as reliable as .bytes; -1: unknown */
	const char *why;	/* reason why the count is not exact, for a human reader; or NULL */
};

struct byte_counts {
	struct byte_count read, readv, write;
	int64_t segments;	/* segments of vector reads; -1: unknown */
};

/* Add two counts. The result is at most INT64_MAX. */
int64_t bytes_plus(int64_t a, int64_t b);

/* Return the bytes, or 0 if the count is unknown or negative. */
static inline int64_t byte_count_known(const struct byte_count *n)
{
	return n->is != BYTES_UNKNOWN && n->bytes > 0 ? n->bytes : 0;
}

struct byte_counts byte_counts_of(const struct xrd_transfer *t);

/* Bytes of file data: without protocol overhead, and without reads past the end of the file. */
struct payload {
	enum {
		PAYLOAD_EXACT,
		PAYLOAD_AT_MOST,
		PAYLOAD_UNKNOWN,
	} is;
	int64_t bytes;
	/* reason why the bytes are not exact, for a human reader; or NULL */
	const char *why;
};
struct payload read_payload_of(const struct xrd_transfer *t, const struct byte_counts *all);
struct payload write_payload_of(const struct xrd_transfer *t, const struct byte_counts *all);

/* Check if late requests in the t-stream could supply bytes that the close lacks. */
bool byte_counts_may_improve(const struct xrd_transfer *t);

/* Check if the report of a third-party copy that wrote the file may still arrive. */
bool byte_counts_may_be_copied(const struct xrd_transfer *t);
