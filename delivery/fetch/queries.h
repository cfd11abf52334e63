/* SPDX-License-Identifier: BSD-3-Clause */
/* queries.h - what ClickHouse is asked, of the tables of clickhouse.sql, and what it answers */
#pragma once

#include "fetch/spans.h"

/* Which hosts, and from when to when: in the order that spans_add() wants. */
#define SPANS_COLUMNS "sii"
void query_put_spans(struct buf *b, const struct answer_request *q, int64_t near);

/* host, header, head: of all records of these pieces. */
#define HEADS_COLUMNS "sss"
void query_put_heads(struct buf *b, const struct spans *s, const struct span *piece, size_t n);

/* In order; without their rows unless these are wanted. */
enum {
	RECORD_HOST, RECORD_USEC, RECORD_LINE, RECORD_HEADER, RECORD_RESTART, RECORD_MARKS,
	RECORD_ROWS
};
#define RECORDS_COLUMNS "siisbss"
void query_put_records(struct buf *b, const struct spans *s, const struct span *piece, size_t n);
