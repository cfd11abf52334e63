/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - ClickHouse is asked by HTTP, and answers row after row */
#pragma once

#include "formats/row_binary.h"
#include "sinks/https.h"

struct engine {
	struct https *https;
	struct buf url;		/* with the database that is meant, as a string */
	uint64_t rest_s;
};

/* keys stay valid. engine_close() is in order after both: 0, or -EINVAL and why. */
int engine_open(struct engine *e, const struct https_keys *keys, const char *url,
		struct buf *why) MUST_CHECK;
void engine_close(struct engine *e);

/* Takes a row, valid during the call: 0, or -errno, which ends the answer. */
struct row_taker {
	const char *columns;	/* see row_binary_take() */
	int (*take)(void *arg, const struct row_value *v);
	void *arg;
};

/*
 * Hands out all rows of the answer. No more of it than a row is in memory. 0; what the taker
 * returned; -EBADMSG: the answer is no such rows, or ends within one; or another -errno, and why.
 */
int engine_ask(struct engine *e, struct str query, const struct row_taker *to,
	       struct buf *why) MUST_CHECK;
