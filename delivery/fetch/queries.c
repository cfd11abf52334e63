/* SPDX-License-Identifier: BSD-3-Clause */
/* queries.c - build the queries for the ClickHouse tables of clickhouse.sql */
#include "fetch/queries.h"

#include "formats/clickhouse.h"

#define SECOND_US 1000000
/*
 * records to query per host for ANSWER_NEWEST: about as many as there are in the 128 KB that
 * nodometer fleet reads of a file
 */
#define NEWEST_RECORDS 8
/* latest time to query, in the year 2096: ClickHouse's toDateTime() ends in 2106 */
#define LATEST_US (INT64_C(4000000000) * SECOND_US)
#define USEC(time) "toInt64(round(" time " * 1000000))"

static void query_put_day(struct buf *b, const char *before, int64_t usec)
{
	buf_addf(b, "%stoDate(toDateTime(%lld))", before,
		 (long long)(usec < 0 ? 0 : usec > LATEST_US ? LATEST_US : usec) / SECOND_US);
}

/*
 * Append a time in seconds with six decimals. ClickHouse rounds it to a quarter of a microsecond.
 */
static void query_put_time(struct buf *b, const char *before, int64_t usec)
{
	usec = usec < 0 ? 0 : usec;
	buf_addf(b, "%s%lld.%06d", before, (long long)(usec / SECOND_US),
		 (int)(usec % SECOND_US));
}

/*
 * Append the condition that a day is in the requested time, extended by `near` microseconds at both
 * ends.
 */
static void query_put_days(struct buf *b, const struct answer_request *q, int64_t near)
{
	if (q->since > near)
		query_put_day(b, " AND day >= ", q->since - near);
	if (q->until < LATEST_US)
		query_put_day(b, " AND day <= ", q->until + near);
}

void query_put_spans(struct buf *b, const struct answer_request *q, int64_t near)
{
	buf_addf(b, "SELECT host, " USEC("minMerge(first_state)") " AS a, "
		 USEC("maxMerge(last_state)") " AS b FROM job_days WHERE 1");
	if (q->job.n) {
		buf_addf(b, " AND job = ");
		clickhouse_put_text(b, q->job);
	}
	query_put_days(b, q, near);
	buf_addf(b, " GROUP BY host%s ORDER BY host, a FORMAT RowBinary",
		 q->job.n ? ", day" : "");
}

void query_put_runs(struct buf *b, const struct answer_request *q, int64_t near, bool rows)
{
	buf_addf(b, "SELECT job, " USEC("start") " AS a, " USEC("(start + length)") " AS b%s "
		 "FROM runs FINAL WHERE formula = ", rows ? ", unhex(kept)" : "");
	clickhouse_put_text(b, q->job);
	query_put_days(b, q, near);
	if (rows && q->since > 0)
		query_put_time(b, " AND start + length >= ", q->since);
	if (rows && q->until < LATEST_US)
		query_put_time(b, " AND start <= ", q->until);
	buf_addf(b, " ORDER BY job, a FORMAT RowBinary");
}

void query_put_job_days(struct buf *b, const struct answer_request *q, int64_t near)
{
	/* job 0 marks idle nodes in archives of tacc_stats, and has no run */
	buf_addf(b, "SELECT job, host, " USEC("minMerge(first_state)") " AS a, "
		 USEC("maxMerge(last_state)") " AS b FROM job_days WHERE job NOT IN ('-', '0')");
	query_put_days(b, q, near);
	buf_addf(b, " GROUP BY job, host, day ORDER BY job, host, a FORMAT RowBinary");
}

static void query_put_piece(struct buf *b, const struct spans *s, const struct time_span *p)
{
	buf_addf(b, "(host = ");
	clickhouse_put_text(b, str_of(s->hosts.word[p->host].text));
	query_put_time(b, " AND time >= ", p->since);
	query_put_time(b, " AND time <= ", p->until);
	buf_addf(b, ")");
}

/*
 * Append the condition that a record is in one of n spans. It also names the days of the spans, so
 * that ClickHouse searches only the months of these days.
 */
static void query_put_pieces(struct buf *b, const struct spans *s, const struct time_span *piece,
			     size_t n)
{
	int64_t since = piece[0].since, until = piece[0].until;
	for (size_t i = 1; i < n; i++) {
		since = piece[i].since < since ? piece[i].since : since;
		until = piece[i].until > until ? piece[i].until : until;
	}
	query_put_day(b, " FROM records WHERE day >= ", since);
	query_put_day(b, " AND day <= ", until);
	buf_addf(b, " AND (");
	for (size_t i = 0; i < n; i++) {
		buf_addf(b, "%s", i ? " OR " : "");
		query_put_piece(b, s, &piece[i]);
	}
	buf_addf(b, ")");
}

void query_put_heads(struct buf *b, const struct spans *s, const struct time_span *piece, size_t n)
{
	buf_addf(b, "SELECT host, header, any(head) FROM headers WHERE (host, header) GLOBAL IN "
		 "(SELECT host, header");
	query_put_pieces(b, s, piece, n);
	buf_addf(b, ") GROUP BY host, header FORMAT RowBinary");
}

void query_put_records(struct buf *b, const struct spans *s, const struct time_span *piece,
		       size_t n)
{
	if (s->q->what == ANSWER_NEWEST)
		buf_addf(b, "SELECT * FROM (");
	buf_addf(b, "SELECT host, " USEC("time") " AS t, toInt64(line) AS l, header, restart, "
		 "marks, %s", s->q->rows ? "rows" : "''");
	query_put_pieces(b, s, piece, n);
	if (s->q->what == ANSWER_NEWEST)
		buf_addf(b, " ORDER BY host, t DESC, l DESC LIMIT %d BY host)", NEWEST_RECORDS);
	buf_addf(b, " ORDER BY host, t, l FORMAT RowBinary");
}
