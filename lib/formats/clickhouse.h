/* SPDX-License-Identifier: BSD-3-Clause */
/* clickhouse.h - ask a ClickHouse table which rows of one host it has */
#pragma once

#include "base/buf.h"

/*
 * Parse the parameters of an insert URL, "query=INSERT+INTO+TABLE+FORMAT+JSONEachRow&...". Append
 * the table's name to *table and the other parameters to *rest, each with a NUL at its end. Returns
 * false if the query names no table.
 */
bool clickhouse_take_query(struct str parameters, struct buf *table, struct buf *rest);

/* Append text as an SQL string, with quotes and backslashes escaped. */
void clickhouse_put_text(struct buf *b, struct str text);

/*
 * Append a query for the host's number of rows and sum of values per time and type, with since <=
 * time < until, in microseconds. If until is 0, append a query for the earliest time of the host:
 * the reply has one line with an empty type, or no line if the table has no rows of the host. Read
 * the reply with clickhouse_take_held(). FINAL in the query removes duplicate rows.
 */
void clickhouse_put_query(struct buf *b, const char *table, struct str host, int64_t since,
			  int64_t until);

struct clickhouse_held {
	int64_t usec;
	struct str type;	/* type of the records; empty for marks */
	uint64_t rows, values;	/* number of rows, and number of values in these rows */
	double sum;		/* sum of the values */
};

/*
 * Parse the next line of a reply. ret->type borrows from *text, and a NUL must follow *text.
 * Returns false in two cases: at the end, with *text empty; or if the line is malformed, with *text
 * unchanged.
 */
bool clickhouse_take_held(struct str *text, struct clickhouse_held *ret);
