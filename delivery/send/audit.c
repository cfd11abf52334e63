/* SPDX-License-Identifier: BSD-3-Clause */
/* audit.c - what a receiver holds is compared with what was delivered, and holes are refilled */
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
#define HOLES_MAX (1u << 20)	/* records; another audit finds the rest */
#define BATCH     64		/* records between two flushes */
#define ROUNDING  1e-9		/* the order in which values are added up */

/* Of one type in one record; or of its marks. */
struct sum {
	int64_t usec;
	char type[64];
	uint64_t rows, values;
	double sum;
};

struct audit {
	struct feed *feed;
	int64_t first;		/* before it the receiver holds nothing */
	bool begun;		/* the file that has it was reached */
	int64_t hour;		/* of the sums */
	struct sum *sum, *theirs;
	size_t n, cap, n_theirs, theirs_cap;
	int64_t *hole;		/* times of records of which something is missing */
	size_t n_holes, holes_cap;
	struct buf other;	/* " TYPE" of those that hold other values there */
	struct buf types;	/* the same, of those with holes in this hour */
	uint64_t records, refused;
	size_t waiting;		/* records that were put since the last flush */
	bool quiet;
	struct buf *said;
};

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int by_time_and_type(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;
	return x->usec != y->usec ? by_time(&x->usec, &y->usec) : strcmp(x->type, y->type);
}

static bool has_word(const struct buf *list, const char *name)
{
	struct str rest = buf_str(list), word;
	while (str_take_item(&rest, &word))
		if (str_eq(word, str_of(name)))
			return true;
	return false;
}

static void note_type(struct buf *list, const char *type)
{
	const char *name = type[0] ? type : "marks";
	if (!has_word(list, name))
		buf_addf(list, " %s", name);
}

static int parse(struct audit *a, struct str lines)
{
	struct clickhouse_held h;
	a->n_theirs = 0;
	while (clickhouse_take_held(&lines, &h)) {
		struct sum s = { .usec = h.usec, .rows = h.rows, .values = h.values, .sum = h.sum };
		if (!str_copy(s.type, sizeof(s.type), h.type))
			continue;
		a->theirs = vec_reserve(a->theirs, &a->theirs_cap, a->n_theirs + 1,
					sizeof(*a->theirs));
		a->theirs[a->n_theirs++] = s;
	}
	if (a->n_theirs)
		qsort(a->theirs, a->n_theirs, sizeof(*a->theirs), by_time_and_type);
	return lines.n ? -EBADMSG : 0;
}

static int ask(struct audit *a, int64_t since, int64_t until)
{
	struct buf lines CLEANUP(buf_free) = { 0 };
	struct buf *why = a->said;
	size_t before = why->n;
	int r = a->feed->sink->held(a->feed->section->state, since, until, &lines, why);
	if (r == 0)
		r = parse(a, buf_str(&lines));
	if (r < 0 && why->n == before)
		buf_addf(why, "its answer is no list of what it holds");
	return r;
}

static bool is_same(double x, double y)
{
	double most = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
	return fabs(x - y) <= most * ROUNDING;
}

static void add_hole(struct audit *a, int64_t usec)
{
	if (a->n_holes == HOLES_MAX || (a->n_holes && a->hole[a->n_holes - 1] == usec))
		return;
	a->hole = vec_reserve(a->hole, &a->holes_cap, a->n_holes + 1, sizeof(*a->hole));
	a->hole[a->n_holes++] = usec;
}

static void compare(struct audit *a, const struct sum *s)
{
	const struct sum *t = a->n_theirs ? bsearch(s, a->theirs, a->n_theirs, sizeof(*s),
						    by_time_and_type) : NULL;
	if (!t || t->rows < s->rows || t->values < s->values) {
		add_hole(a, s->usec);
		note_type(&a->types, s->type);
	} else if (t->rows != s->rows || t->values != s->values || !is_same(t->sum, s->sum)) {
		note_type(&a->other, s->type);
	}
}

/* Compares the sums of an hour with what the receiver has of it. */
static int end_hour(struct audit *a)
{
	size_t before = a->n_holes;
	int r = a->n ? ask(a, a->hour, a->hour + HOUR_US) : 0;
	if (r < 0)
		return r;
	a->types.n = 0;
	for (size_t i = 0; i < a->n; i++)
		compare(a, &a->sum[i]);
	a->n = 0;
	if (a->n_holes > before && !a->quiet)
		buf_addf(a->said, "%s: %zu records are not whole there, of" STR_FMT "\n",
			 cli_moment(a->hour).s, a->n_holes - before, STR_ARG(buf_str(&a->types)));
	return 0;
}

static struct sum *sum_of(struct audit *a, size_t from, int64_t usec, const char *type)
{
	for (size_t i = from; i < a->n; i++)
		if (strcmp(a->sum[i].type, type) == 0)
			return &a->sum[i];
	a->sum = vec_reserve(a->sum, &a->cap, a->n + 1, sizeof(*a->sum));
	a->sum[a->n] = (struct sum){ .usec = usec };
	str_copy(a->sum[a->n].type, sizeof(a->sum[a->n].type), str_of(type));
	return &a->sum[a->n++];
}

static void add_rows(struct sum *to, const struct record_rows *rows)
{
	for (size_t d = 0; d < rows->n; d++)
		for (size_t k = 0; k < rows->type->n_keys; k++)
			if (row_has(&rows->row[d], k)) {
				to->values++;
				to->sum += row_double(&rows->row[d], k);
			}
	to->rows += rows->n;
}

static int count_record(struct audit *a, const struct record *g)
{
	int64_t hour = g->usec / HOUR_US * HOUR_US;
	int r = hour == a->hour ? 0 : end_hour(a);
	size_t from = a->n;
	if (r < 0)
		return r;
	a->hour = hour;
	a->records++;
	if (g->n_marks)
		sum_of(a, from, g->usec, "")->rows += g->n_marks;
	for (size_t i = 0; i < g->n_types; i++)
		if (g->rows[i].n)
			add_rows(sum_of(a, from, g->usec, g->rows[i].type->name), &g->rows[i]);
	return 0;
}

static int flush(struct audit *a)
{
	struct feed *f = a->feed;
	f->place.last_try = f->place.closing = true;
	int r = a->waiting ? f->sink->flush(f->section->state, a->said) : 0;
	a->refused += r > 0 ? (uint64_t)r : 0;
	a->waiting = 0;
	return r < 0 ? r : 0;
}

/* Types of which the receiver holds other values stay as they are there. */
static int refill_record(struct audit *a, const struct record *g)
{
	struct feed *f = a->feed;
	struct record part = *g;
	if (!bsearch(&g->usec, a->hole, a->n_holes, sizeof(*a->hole), by_time))
		return 0;
	struct record_rows *rows = xrealloc(NULL, g->n_types * sizeof(*rows));
	part.n_types = 0;
	for (size_t i = 0; i < g->n_types; i++)
		if (!has_word(&a->other, g->rows[i].type->name))
			rows[part.n_types++] = g->rows[i];
	part.rows = rows;
	feed_keep_rate(f);
	int r = f->sink->put(f->section->state, &part, a->said);
	free(rows);
	if (r >= 0)
		a->waiting++;
	return r > 0 || a->waiting == BATCH ? flush(a) : r;
}

/* The counters of the sink began to be unfolded with the file in which it began. */
static void begin_file(struct audit *a)
{
	struct feed *f = a->feed;
	if (a->begun)
		return;
	counters_close(&f->counters);
	f->counters = (struct counters){ .unfold = NULL };
	counters_open(&f->counters, f->path.p, &f->sink_node);
}

static bool is_delivered(const struct feed *f)
{
	return f->follow.epoch < f->cursor.epoch ||
	       (f->follow.epoch == f->cursor.epoch && f->follow.at <= f->cursor.offset);
}

static int walk_file(struct audit *a, int (*take)(struct audit *a, const struct record *g))
{
	struct feed *f = a->feed;
	const struct byte_source bytes = follow_bytes(&f->follow);
	struct record_source source = raw_records(&bytes, NULL);
	const struct record *g;
	int r = 0;
	begin_file(a);
	while (r == 0 && !*f->node->stop && record_next(&source, &g) > 0 && is_delivered(f)) {
		g = counters_unfold(&f->counters, g, &source);
		a->begun |= g->usec >= a->first;
		r = g->usec >= a->first ? take(a, g) : 0;
	}
	record_source_end(&source);
	return *f->node->stop ? -EINTR : r;
}

static int walk(struct audit *a, int (*take)(struct audit *a, const struct record *g))
{
	struct feed *f = a->feed;
	struct buf path CLEANUP(buf_free) = { 0 };
	int r;
	buf_addf(&path, "%s/%s", f->node->config->dir, f->node->host);
	f->follow.epoch = 0;
	a->begun = false;
	r = follow_open(&f->follow, buf_str(&path));
	while (r == 0 && (r = follow_next_file(&f->follow)) == 0)
		r = walk_file(a, take);
	follow_close(&f->follow);
	return r == -ENOENT ? 0 : r;
}

static int look(struct audit *a)
{
	a->n = a->n_holes = a->other.n = 0;
	a->records = 0;
	a->hour = INT64_MIN;
	int r = walk(a, count_record);
	if (r == 0)
		r = end_hour(a);
	if (r == 0 && a->n_holes)
		qsort(a->hole, a->n_holes, sizeof(*a->hole), by_time);
	return r;
}

static int refill(struct audit *a)
{
	int r = walk(a, refill_record);
	if (r == 0)
		r = flush(a);
	if (r == 0 && a->refused)	/* the reason is there already */
		buf_add_char(a->said, '\n');
	a->quiet = true;
	return r < 0 ? r : look(a);
}

static void say_end(struct audit *a, size_t missing)
{
	buf_addf(a->said, "%llu records", (unsigned long long)a->records);
	if (a->records)
		buf_addf(a->said, " since %s", cli_moment(a->first).s);
	if (!missing)
		buf_addf(a->said, ": all are there");
	else if (!a->n_holes)
		buf_addf(a->said, ": %zu were sent again, and all are there", missing);
	else
		buf_addf(a->said, ": %zu were sent again, and %zu are still not whole there",
			 missing, a->n_holes);
	if (a->other.n)
		buf_addf(a->said, "; it holds other values of" STR_FMT ", which stay as they are",
			 STR_ARG(buf_str(&a->other)));
}

/* 1: what the receiver holds is known, and .first; 0: it holds nothing. */
static int find_first(struct audit *a)
{
	int r = ask(a, 0, 0);
	if (r < 0)
		return r;
	if (a->n_theirs)
		a->first = a->theirs[0].usec;
	else
		buf_addf(a->said, "it holds nothing of this host");
	return a->n_theirs > 0;
}

static int check(struct audit *a)
{
	int r = find_first(a);
	if (r <= 0)
		return r < 0 ? r : 1;
	r = look(a);
	size_t missing = a->n_holes;
	if (r == 0 && missing)
		r = refill(a);
	if (r == 0)
		say_end(a, missing);
	return r < 0 ? r : a->n_holes || a->other.n;
}

static int open_sink(struct feed *f, struct buf *said)
{
	int r = feed_load_cursor(f);
	if (r == 0 && !f->cursor.epoch)
		r = -ENOENT;
	if (r == -ENOENT)
		buf_addf(said, "nothing was delivered yet");
	else if (r < 0)
		buf_addf(said, "%s: %s", f->path.p, strerror(-r));
	return r < 0 ? r : f->sink->open(f->section->state, &f->sink_node, said);
}

int audit_run(struct section *s, const struct feed_node *node, struct buf *said)
{
	struct feed_node dry = *node;
	dry.dry = true;
	if (!s->sink->held || s->lines[0] || s->interval_us) {
		buf_addf(said, "only [sink http] to ClickHouse can be asked, without lines, runs "
			 "and interval");
		return -EOPNOTSUPP;
	}
	struct audit a = { .feed = feed_new(s, &dry), .said = said };
	int r = open_sink(a.feed, said);
	if (r == 0) {
		r = check(&a);
		s->sink->close(s->state);
	}
	feed_free(a.feed);
	free(a.sum);
	free(a.theirs);
	free(a.hole);
	buf_free(&a.other);
	buf_free(&a.types);
	return r;
}
