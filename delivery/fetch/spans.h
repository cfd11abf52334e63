/* SPDX-License-Identifier: BSD-3-Clause */
/* spans.h - list the time spans of each host whose records must be fetched */
#pragma once

#include "base/words.h"
#include "formats/answer.h"

#define SPANS_MAX (1u << 20)

struct time_span {
	size_t host;		/* index in .hosts */
	int64_t since, until;	/* the span's first and last time, in microseconds */
};

/*
 * The spans to fetch. A struct that is zero except for .q and .near is valid and empty;
 * spans_free() releases its memory.
 */
struct spans {
	const struct answer_request *q;
	int64_t near;		/* time added at both ends of each span, in microseconds */
	struct words hosts;
	struct time_span *span;	/* sorted by host, then by time */
	size_t n, cap;
};

/*
 * Add a time span in which a host has records. Add all spans of one host before those of the next,
 * in the order of times; overlapping spans are merged. Returns 0, also if the span is not in the
 * requested time; -EFBIG if there are too many spans; or -EBADMSG if the order or the times are
 * wrong, or the host's name is longer than ANSWER_HOST_MAX.
 */
int spans_add(struct spans *s, struct str host, int64_t first, int64_t last) MUST_CHECK;
void spans_free(struct spans *s);

/*
 * Cut the next pieces from the spans: at most n pieces, each at most most_us microseconds long.
 * Returns the number of pieces, 0 after the last one. *at and *done store how far the spans were
 * cut; set them to 0 and INT64_MIN before the first call.
 */
size_t spans_next(const struct spans *s, size_t *at, int64_t *done, int64_t most_us,
		  struct time_span *piece, size_t n);
