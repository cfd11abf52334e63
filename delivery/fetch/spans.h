/* SPDX-License-Identifier: BSD-3-Clause */
/* spans.h - which hosts' records are wanted, and of what time */
#pragma once

#include "base/words.h"
#include "formats/answer.h"

#define SPANS_MAX (1u << 20)

struct span {
	size_t host;		/* in .hosts */
	int64_t since, until;	/* microseconds */
};

/* All zero but the first two is a valid new one; spans_free() ends it. */
struct spans {
	const struct answer_request *q;
	int64_t near;		/* so much longer at both ends than what was found */
	struct words hosts;
	struct span *span;	/* by host, then by time */
	size_t n, cap;
};

/*
 * Adds a time of which there are records, in the order of hosts and times: it joins the one before
 * where they touch. 0, also where it is not wanted; -EFBIG: there are too many; -EBADMSG: not in
 * this order.
 */
int spans_add(struct spans *s, struct str host, int64_t first, int64_t last) MUST_CHECK;
void spans_free(struct spans *s);

/*
 * The next pieces, at most n and each no longer than most: how many. *at and *done, 0 and INT64_MIN
 * at first, say how far it is.
 */
size_t spans_next(const struct spans *s, size_t *at, int64_t *done, int64_t most,
		  struct span *piece, size_t n);
