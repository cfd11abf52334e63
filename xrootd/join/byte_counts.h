/* SPDX-License-Identifier: BSD-3-Clause */
/* byte_counts.h - how many bytes an access moved, and how sure that is */
#pragma once

#include "tracers/xrootd/join/xrd_join.h"

enum certainty {
	BYTES_EXACT,
	BYTES_AT_LEAST,
	BYTES_UNKNOWN,		/* the value is nothing */
};

enum bytes_from {
	FROM_NOTHING,
	FROM_CLOSE,		/* f: the close */
	FROM_REPORT,		/* f: the last report (xfr) of an open file */
	FROM_REQUESTS,		/* t: the sum of the requests (io, iov) */
	FROM_COPY,		/* g: the size of what a third-party copy wrote */
};

struct byte_count {
	enum certainty is;
	enum bytes_from from;
	int64_t bytes;
	int64_t n;		/* requests, as sure as the bytes are; -1: not known */
	const char *why;	/* not exact: for people; else NULL */
};

struct byte_counts {
	struct byte_count read, readv, write;
	int64_t segments;	/* of the vectors; -1: not known */
};

/* A sum that stays at the end of its scale, because a server may send any number. */
int64_t bytes_plus(int64_t a, int64_t b);

struct byte_counts byte_counts_of(const struct xrd_transfer *t);

/* Data of files, without what the protocol adds, and no more than there was. */
struct payload {
	enum {
		PAYLOAD_EXACT,
		PAYLOAD_AT_MOST,
		PAYLOAD_UNKNOWN,
	} is;
	int64_t bytes;
	const char *why;	/* not exact: for people; else NULL */
};
struct payload read_payload_of(const struct xrd_transfer *t, const struct byte_counts *all);
struct payload write_payload_of(const struct xrd_transfer *t, const struct byte_counts *all);

/* Requests that are still on their way may show what the close does not. */
bool byte_counts_may_improve(const struct xrd_transfer *t);

/* Nothing was written, as far as is known; a report of a third-party copy may say more. */
bool byte_counts_may_be_copied(const struct xrd_transfer *t);
