/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - query ClickHouse over HTTP, and call a function for each row of the answer */
#pragma once

#include "formats/row_binary.h"
#include "sinks/https.h"

struct engine {
	struct https *https;
	struct buf url;		/* URL with the database, as a string */
	uint64_t retry_after_s;	/* see https_open() */
};

/*
 * Prepare queries to the server at the URL, without connecting. *keys must stay valid. Returns 0,
 * or -EINVAL and why; call engine_close() in both cases.
 */
int engine_open(struct engine *e, const struct https_keys *keys, const char *url,
		struct buf *why) MUST_CHECK;
void engine_close(struct engine *e);

/*
 * The consumer of rows. take() gets a row that is valid during the call, and returns 0, or -errno
 * to stop.
 */
struct row_taker {
	const char *columns;	/* types of the columns; see row_binary_take() */
	int (*take)(void *arg, const struct row_value *v);
	void *arg;
	bool (*is_wanted)(void *arg);	/* called about once a second; false cancels the query */
};

/*
 * Run a query and call take() for each row of the answer, keeping only one row in memory. Returns
 * 0; the error of take(); -ECANCELED if is_wanted() returned false; -EBADMSG if the answer has
 * other columns or ends within a row; or another -errno, and why.
 */
int engine_ask(struct engine *e, struct str query, const struct row_taker *to,
	       struct buf *why) MUST_CHECK;
