/* SPDX-License-Identifier: BSD-3-Clause */
/* clickhouse.h - a table of lines of jsonl in ClickHouse is asked what it holds of a host */
#pragma once

#include "base/buf.h"

/*
 * Of the URL that lines are posted to, ...?query=INSERT+INTO+TABLE+FORMAT+JSONEachRow: the table,
 * and the URL without its query, as strings. False: it has none.
 */
bool clickhouse_take_url(struct str url, struct buf *table, struct buf *rest);

/* In quotes, which the text cannot leave. */
void clickhouse_put_text(struct buf *b, struct str text);

/*
 * A query for lines of clickhouse_take_held(), by time and type: of times from since to before
 * until, in microseconds; until 0: of the first time, without a type, and of none where it holds
 * nothing. A row that came twice counts once.
 */
void clickhouse_put_query(struct buf *b, const char *table, struct str host, int64_t since,
			  int64_t until);

struct clickhouse_held {
	int64_t usec;
	struct str type;	/* empty of marks */
	uint64_t rows, values;	/* and so many values are in the rows */
	double sum;		/* of the values */
};

/* Takes a line off text, which ends in a NUL: false at its end, or where it is no such line. */
bool clickhouse_take_held(struct str *text, struct clickhouse_held *ret);
