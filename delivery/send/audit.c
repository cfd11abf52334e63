/* SPDX-License-Identifier: BSD-3-Clause */
/* audit.c - compare a receiver's data with the archive and resend missing records */
#include "send/audit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/cli.h"
#include "formats/clickhouse.h"
#include "formats/raw_read.h"
#include "send/feed.h"
#include "send/feed_deliver.h"

#define HOUR_US   3600000000
/* largest number of records that one audit resends; the next audit resends the others */
#define MISSING_MAX (1u << 20)
#define BATCH     64		/* number of records between two flushes */
/*
 * largest relative difference between two sums that count as equal: the receiver may add the same
 * values in another order
 */
#define ROUNDING  1e-9

/*
 * The rows, values and sum of values of one type in one record. If .type is empty, .rows is the
 * number of marks in the record.
 */
struct audit_sum {
	int64_t usec;
	char type[64];
	uint64_t rows, values;
	double sum;
};

struct audit {
	struct feed *feed;
	int64_t first;		/* time of the receiver's oldest data, in microseconds */
	/* the audit has reached the archive file that has the record with time .first */
	bool has_begun;
	int64_t hour;		/* start of the hour that the sums cover, in microseconds */
	/* .sum: sums of the archive's values; .receiver: sums of the receiver's values */
	struct audit_sum *sum, *receiver;
	size_t n, cap, n_receiver, receiver_cap;
	int64_t *missing_us;	/* times of records missing or incomplete at the receiver */
	size_t n_missing, missing_cap;
	/* " TYPE" for each type with values at the receiver that differ from the archive */
	struct buf other;
	/* " TYPE" for each type whose rows or values are incomplete at the receiver in this hour */
	struct buf types;
	uint64_t records, refused;
	size_t waiting;		/* number of records put since the last flush */
	bool quiet;
	struct buf *report;
};

static int audit_compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int audit_compare_sums(const void *a, const void *b)
{
	const struct audit_sum *x = a, *y = b;
	return x->usec != y->usec ? audit_compare_times(&x->usec, &y->usec) : strcmp(x->type,
										     y->type);
}

static bool audit_list_has(const struct buf *list, const char *name)
{
	struct str rest = buf_str(list), word;
	while (str_take_item(&rest, &word))
		if (str_eq(word, str_of(name)))
			return true;
	return false;
}

static void audit_list_add(struct buf *list, const char *type)
{
	const char *name = type[0] ? type : "marks";
	if (!audit_list_has(list, name))
		buf_addf(list, " %s", name);
}

static int audit_parse_answer(struct audit *a, struct str lines)
{
	struct clickhouse_held h;
	a->n_receiver = 0;
	while (clickhouse_take_held(&lines, &h)) {
		struct audit_sum s = { .usec = h.usec, .rows = h.rows, .values = h.values,
				      .sum = h.sum };
		if (!str_copy(s.type, sizeof(s.type), h.type))
			continue;
		a->receiver = vec_reserve(a->receiver, &a->receiver_cap, a->n_receiver + 1,
					  sizeof(*a->receiver));
		a->receiver[a->n_receiver++] = s;
	}
	if (a->n_receiver)
		qsort(a->receiver, a->n_receiver, sizeof(*a->receiver), audit_compare_sums);
	return lines.n ? -EBADMSG : 0;
}

static int audit_query(struct audit *a, int64_t since, int64_t until)
{
	struct buf lines CLEANUP(buf_free) = { 0 };
	/* not a->report, because the sink may clear the buffer */
	struct buf why CLEANUP(buf_free) = { 0 };
	int r = a->feed->sink->held(a->feed->section->state, since, until, &lines, &why);
	if (r == 0)
		r = audit_parse_answer(a, buf_str(&lines));
	if (r < 0 && !why.n)
		buf_addf(&why, "its answer is not a list of stored records");
	buf_add(a->report, buf_str(&why));
	return r;
}

static bool audit_sums_match(double x, double y)
{
	double most = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
	return fabs(x - y) <= most * ROUNDING;
}

static void audit_add_missing(struct audit *a, int64_t usec)
{
	if (a->n_missing == MISSING_MAX ||
	    (a->n_missing && a->missing_us[a->n_missing - 1] == usec))
		return;
	a->missing_us = vec_reserve(a->missing_us, &a->missing_cap, a->n_missing + 1,
				    sizeof(*a->missing_us));
	a->missing_us[a->n_missing++] = usec;
}

static void audit_check_sum(struct audit *a, const struct audit_sum *s)
{
	const struct audit_sum *t = a->n_receiver ?
		bsearch(s, a->receiver, a->n_receiver, sizeof(*s), audit_compare_sums) : NULL;
	if (!t || t->rows < s->rows || t->values < s->values) {
		audit_add_missing(a, s->usec);
		audit_list_add(&a->types, s->type);
	} else if (t->rows != s->rows || t->values != s->values ||
		   !audit_sums_match(t->sum, s->sum)) {
		audit_list_add(&a->other, s->type);
	}
}

/* Compare the sums of the current hour with the receiver's data. */
static int audit_check_hour(struct audit *a)
{
	size_t before = a->n_missing;
	int r = a->n ? audit_query(a, a->hour, a->hour + HOUR_US) : 0;
	if (r < 0)
		return r;
	a->types.n = 0;
	for (size_t i = 0; i < a->n; i++)
		audit_check_sum(a, &a->sum[i]);
	a->n = 0;
	if (a->n_missing > before && !a->quiet)
		buf_addf(a->report, "%s: %zu records are incomplete at the receiver, of" STR_FMT
			 "\n",
			 cli_moment(a->hour).s, a->n_missing - before, STR_ARG(buf_str(&a->types)));
	return 0;
}

static struct audit_sum *audit_get_sum(struct audit *a, size_t from, int64_t usec, const char *type)
{
	for (size_t i = from; i < a->n; i++)
		if (strcmp(a->sum[i].type, type) == 0)
			return &a->sum[i];
	a->sum = vec_reserve(a->sum, &a->cap, a->n + 1, sizeof(*a->sum));
	a->sum[a->n] = (struct audit_sum){ .usec = usec };
	str_copy(a->sum[a->n].type, sizeof(a->sum[a->n].type), str_of(type));
	return &a->sum[a->n++];
}

static void audit_add_rows(struct audit_sum *to, const struct record_rows *rows)
{
	for (size_t d = 0; d < rows->n; d++)
		for (size_t k = 0; k < rows->type->n_keys; k++)
			if (row_has(&rows->row[d], k)) {
				to->values++;
				to->sum += row_double(&rows->row[d], k);
			}
	to->rows += rows->n;
}

static int audit_count_record(struct audit *a, const struct record *g)
{
	int64_t hour = g->usec / HOUR_US * HOUR_US;
	int r = hour == a->hour ? 0 : audit_check_hour(a);
	size_t from = a->n;
	if (r < 0)
		return r;
	a->hour = hour;
	a->records++;
	if (g->n_marks)
		audit_get_sum(a, from, g->usec, "")->rows += g->n_marks;
	for (size_t i = 0; i < g->n_types; i++)
		if (g->rows[i].n)
			audit_add_rows(audit_get_sum(a, from, g->usec, g->rows[i].type->name),
				       &g->rows[i]);
	return 0;
}

static int audit_flush(struct audit *a)
{
	struct feed *f = a->feed;
	struct buf why CLEANUP(buf_free) = { 0 };	/* the sink may clear it */
	f->place.last_try = f->place.closing = true;
	int r = a->waiting ? f->sink->flush(f->section->state, &why) : 0;
	buf_add(a->report, buf_str(&why));
	a->refused += r > 0 ? (uint64_t)r : 0;
	a->waiting = 0;
	return r < 0 ? r : 0;
}

/*
 * Resend the record if it is missing or incomplete at the receiver. Leave out the types whose
 * values at the receiver differ, because existing values are not overwritten.
 */
static int audit_resend_record(struct audit *a, const struct record *g)
{
	struct feed *f = a->feed;
	struct record part = *g;
	if (!bsearch(&g->usec, a->missing_us, a->n_missing, sizeof(*a->missing_us),
		     audit_compare_times))
		return 0;
	struct record_rows *rows = xrealloc(NULL, g->n_types * sizeof(*rows));
	part.n_types = 0;
	for (size_t i = 0; i < g->n_types; i++)
		if (!audit_list_has(&a->other, g->rows[i].type->name))
			rows[part.n_types++] = g->rows[i];
	part.rows = rows;
	feed_keep_rate(f);
	struct buf why CLEANUP(buf_free) = { 0 };	/* the sink may clear it */
	int r = f->sink->put(f->section->state, &part, &why);
	buf_add(a->report, buf_str(&why));
	free(rows);
	if (r >= 0)
		a->waiting++;
	return r > 0 || a->waiting == BATCH ? audit_flush(a) : r;
}

/*
 * Restart the unfolding of counters (see counters.h) at each file, up to the file that has the
 * receiver's oldest data, because the sink started to unfold counters in that file.
 */
static void audit_begin_file(struct audit *a)
{
	struct feed *f = a->feed;
	if (a->has_begun)
		return;
	counters_close(&f->counters);
	f->counters = (struct counters){ .unfold = NULL };
	counters_open(&f->counters, f->path.p, &f->sink_node);
}

static bool audit_is_delivered(const struct feed *f)
{
	return f->follow.epoch < f->cursor.epoch ||
	       (f->follow.epoch == f->cursor.epoch && f->follow.at <= f->cursor.offset);
}

static int audit_read_file(struct audit *a, int (*take)(struct audit *a, const struct record *g))
{
	struct feed *f = a->feed;
	const struct byte_source bytes = follow_bytes(&f->follow);
	struct record_source source = raw_records(&bytes, NULL);
	const struct record *g;
	int r = 0;
	audit_begin_file(a);
	while (r == 0 && !*f->node->stop && record_next(&source, &g) > 0 && audit_is_delivered(f)) {
		g = counters_unfold(&f->counters, g, &source);
		a->has_begun |= g->usec >= a->first;
		r = g->usec >= a->first ? take(a, g) : 0;
	}
	record_source_end(&source);
	return *f->node->stop ? -EINTR : r;
}

static int audit_read_archive(struct audit *a, int (*take)(struct audit *a, const struct record *g))
{
	struct feed *f = a->feed;
	struct buf path CLEANUP(buf_free) = { 0 };
	int r;
	buf_addf(&path, "%s/%s", f->node->config->dir, f->node->host);
	f->follow.epoch = 0;
	a->has_begun = false;
	r = follow_open(&f->follow, buf_str(&path));
	while (r == 0 && (r = follow_next_file(&f->follow)) == 0)
		r = audit_read_file(a, take);
	follow_close(&f->follow);
	return r == -ENOENT ? 0 : r;
}

static int audit_find_missing(struct audit *a)
{
	a->n = a->n_missing = a->other.n = 0;
	a->records = 0;
	a->hour = INT64_MIN;
	int r = audit_read_archive(a, audit_count_record);
	if (r == 0)
		r = audit_check_hour(a);
	if (r == 0 && a->n_missing)
		qsort(a->missing_us, a->n_missing, sizeof(*a->missing_us), audit_compare_times);
	return r;
}

static int audit_resend_missing(struct audit *a)
{
	int r = audit_read_archive(a, audit_resend_record);
	if (r == 0)
		r = audit_flush(a);
	if (r == 0 && a->refused)	/* end the line that has the reason for the refusal */
		buf_add_char(a->report, '\n');
	a->quiet = true;
	return r < 0 ? r : audit_find_missing(a);
}

static void audit_put_result(struct audit *a, size_t missing)
{
	buf_addf(a->report, "%llu records", (unsigned long long)a->records);
	if (a->records)
		buf_addf(a->report, " since %s", cli_moment(a->first).s);
	if (!missing)
		buf_addf(a->report, ": the receiver has all of them");
	else if (!a->n_missing)
		buf_addf(a->report, ": %zu were sent again, and the receiver has all of them",
			 missing);
	else
		buf_addf(a->report, ": %zu were sent again, and %zu are still incomplete at the "
			 "receiver", missing, a->n_missing);
	if (a->other.n)
		buf_addf(a->report, "; the receiver holds other values of" STR_FMT ", which stay "
			 "as they are", STR_ARG(buf_str(&a->other)));
}

/*
 * Ask the receiver for the time of its oldest data. Returns 1 and sets a->first, 0 if the receiver
 * has no data of this host, or -errno.
 */
static int audit_find_first(struct audit *a)
{
	int r = audit_query(a, 0, 0);
	if (r < 0)
		return r;
	if (a->n_receiver)
		a->first = a->receiver[0].usec;
	else
		buf_addf(a->report, "the receiver holds no records of this host");
	return a->n_receiver > 0;
}

static int audit_check(struct audit *a)
{
	int r = audit_find_first(a);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = audit_find_missing(a);
	size_t missing = a->n_missing;
	if (r == 0 && missing)
		r = audit_resend_missing(a);
	if (r == 0)
		audit_put_result(a, missing);
	return r < 0 ? r : a->n_missing || a->other.n;
}

static int audit_open_sink(struct feed *f, struct buf *report)
{
	int r = feed_load_cursor(f);
	if (r == 0 && !f->cursor.epoch)
		r = -ENOENT;
	if (r == -ENOENT)
		buf_addf(report, "nothing was delivered yet");
	else if (r < 0)
		buf_addf(report, "%s: %s", f->path.p, strerror(-r));
	return r < 0 ? r : f->sink->open(f->section->state, &f->sink_node, report);
}

int audit_run(struct section *s, const struct feed_node *node, struct buf *report)
{
	struct feed_node dry = *node;
	dry.dry = true;
	if (!s->sink->held || s->lines[0] || s->interval_us) {
		buf_addf(report, "only a [sink http] that sends records to ClickHouse, without "
			 "lines, runs and interval, can be audited");
		return -EOPNOTSUPP;
	}
	struct audit a = { .feed = feed_new(s, &dry), .report = report };
	int r = audit_open_sink(a.feed, report);
	if (r == 0) {
		r = audit_check(&a);
		s->sink->close(s->state);
	}
	feed_free(a.feed);
	free(a.sum);
	free(a.receiver);
	free(a.missing_us);
	buf_free(&a.other);
	buf_free(&a.types);
	return r;
}
