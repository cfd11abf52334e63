/* SPDX-License-Identifier: BSD-3-Clause */
/* clickhouse.h - query a ClickHouse table of JSON lines for the data of one host */
#pragma once

#include "base/buf.h"

/*
 * Split the query of a URL for inserts, "query=INSERT+INTO+TABLE+FORMAT+JSONEachRow&...". Append
 * the name of the table, with a NUL at its end, to *table, and the other parameters, also with a
 * NUL at the end, to *rest. Returns false if the query has no table.
 */
bool clickhouse_take_query(struct str parameters, struct buf *table, struct buf *rest);

/* Append text as an SQL string, with quotes and backslashes escaped. */
void clickhouse_put_text(struct buf *b, struct str text);

/*
 * Append a query whose reply clickhouse_take_held() reads: a line for each time and type, with
 * since <= time < until in microseconds. FINAL removes duplicate rows. If until is 0, the query
 * asks only for the earliest time of the host: the reply has one line with an empty type, or no
 * line if the table has no rows of the host.
 */
void clickhouse_put_query(struct buf *b, const char *table, struct str host, int64_t since,
			  int64_t until);

struct clickhouse_held {
	int64_t usec;
	struct str type;	/* type of the records; empty for marks */
	uint64_t rows, values;	/* number of rows, and number of values in the rows */
	double sum;		/* sum of the values */
};

/*
 * Take one line of a reply off *text, which must end in a NUL. Returns false at the end, or if the
 * line is malformed.
 */
bool clickhouse_take_held(struct str *text, struct clickhouse_held *ret);
