/* SPDX-License-Identifier: BSD-3-Clause */
/* queries.h - build the queries for the ClickHouse tables of clickhouse.sql */
#pragma once

#include "fetch/spans.h"

/*
 * Query the first and last times of hosts' records of job q->job, or of all records if q->job is
 * empty, sorted as spans_add() requires. This query, query_put_runs() and query_put_job_days()
 * extend the requested time by `near` microseconds at both ends.
 */
#define SPANS_COLUMNS "sii"
void query_put_spans(struct buf *b, const struct answer_request *q, int64_t near);

/*
 * Query job, start and end of the stored runs, sorted by job, that were computed with the rules
 * whose hash is q->job (the formula, see formats/answer.h). If `rows` is true, query only runs in
 * the requested time, and also their stored results.
 */
#define RUNS_COLUMNS     "sii"
#define STORED_COLUMNS     "siis"
void query_put_runs(struct buf *b, const struct answer_request *q, int64_t near, bool rows);
/* Query job, host, first and last time of each day with records of a job, sorted by job. */
#define JOB_DAYS_COLUMNS "ssii"
void query_put_job_days(struct buf *b, const struct answer_request *q, int64_t near);

/*
 * Query the host, the header's id and the header's text (head) of all records in n spans (`piece`);
 * n is at least 1.
 */
#define HEADS_COLUMNS "sss"
void query_put_heads(struct buf *b, const struct spans *s, const struct time_span *piece, size_t n);

/* Columns of the answer to query_put_records(). */
enum {
	RECORD_HOST, RECORD_USEC, RECORD_LINE, RECORD_HEADER, RECORD_RESTART, RECORD_MARKS,
	RECORD_ROWS
};
/*
 * Query the records in n spans (`piece`), sorted by host, time and line; n is at least 1. If the
 * request wants no rows, column RECORD_ROWS is empty. For a request of ANSWER_NEWEST, query only
 * the last records of each host.
 */
#define RECORDS_COLUMNS "siisbss"
void query_put_records(struct buf *b, const struct spans *s, const struct time_span *piece,
		       size_t n);
