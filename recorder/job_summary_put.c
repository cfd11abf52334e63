/* SPDX-License-Identifier: BSD-3-Clause */
/* job_summary_put.c - the line that the figures of a job's summary make */
#include "recorder/job_summary.h"

#include <stdio.h>
#include <string.h>
#include "base/json.h"
#include "figures/usual.h"

#define ID_MAX     260	/* bytes of the id in JSON, its quotes included */
#define HEADER_MAX 340	/* with the longest id; then hardly a figure has room */

/* The sum so far of the figures of one name. */
struct figure_sum {
	enum since_state state;
	double n;
};

static void add_value(struct figure_sum *sum, enum since_state one, const double *value)
{
	if (one > sum->state)
		sum->state = one;
	if (one != SINCE_ABSENT)
		sum->n += *value;
}

static struct figure_sum add_figures(const struct job_summaries *s, const struct summary_job *j,
				     const char *name)
{
	struct figure_sum sum = { SINCE_ABSENT, 0 };
	double value = 0;

	for (size_t i = 0; i < s->node.n; i++)
		if (strcmp(s->node.row[i].summary, name) == 0)
			add_value(&sum, since_value(&j->since, s->tally, i, &value), &value);
	for (size_t i = 0; j->own && i < s->own.n; i++)
		if (strcmp(s->own.row[i].summary, name) == 0)
			add_value(&sum, own_value(j->own, i, &value), &value);
	return sum;
}

/* The line in the making: its first member reports on those after it. */
struct line {
	struct buf figures, partial;
	size_t room;
	bool complete;
};

/* The writer of JSON has all digits: here they would only take room. */
static void put_number(struct buf *b, const char *name, int digits, double v)
{
	char text[32];
	snprintf(text, sizeof(text), "%.*g", digits, v);
	json_raw(b, name, str_of(text));
}

static void put_figure(struct line *l, const char *name, enum since_state state, double value)
{
	size_t before = l->figures.n, partial = l->partial.n;
	l->complete &= state == SINCE_KNOWN;
	if (state == SINCE_UNKNOWN)
		return;
	put_number(&l->figures, name, 4, value);
	if (state == SINCE_PART && !partial)
		json_open(&l->partial, "partial", '[');
	if (state == SINCE_PART)
		json_str(&l->partial, NULL, str_of(name));
	/* commas before both, and the bracket */
	if (l->figures.n + l->partial.n + (l->partial.n > 0) + 2 <= l->room)
		return;
	l->figures.n = before;
	l->partial.n = partial;
	l->room = 0;	/* later figures are worth less */
	l->complete = false;
}

static void put_figures(struct line *l, const struct job_summaries *s, const struct summary_job *j)
{
	for (size_t i = 0; i < n_summary_names; i++) {
		struct figure_sum sum = add_figures(s, j, summary_names[i]);
		if (sum.state != SINCE_ABSENT)
			put_figure(l, summary_names[i], sum.state, sum.n);
	}
	if (l->partial.n)
		json_close(&l->partial, ']');
}

/* Bytes that are no UTF-8 take six of them. A longer id is cut off, and that is said. */
static bool put_id(struct buf *b, struct str id)
{
	size_t before = b->n, whole = id.n;
	for (json_put_string(b, id); b->n - before > ID_MAX; json_put_string(b, id)) {
		b->n = before;
		id.n--;
	}
	return id.n == whole;
}

static void put_header(struct buf *b, const struct summary_job *j, const char *host,
		       int64_t end_us)
{
	size_t before = b->n;
	json_str(b, "host", str_of(host));
	if (b->n + 72 > HEADER_MAX)
		b->n = before;
	if (end_us)
		json_int(b, "end", end_us / 1000000);
	if (j && j->since_us && end_us >= j->since_us)
		put_number(b, "elapsed_s", 10, (double)((end_us - j->since_us) / 1000) / 1000);
	if (j && j->shared)
		json_bool(b, "shared", true);
}

static void put_members(struct buf *b, const struct buf *members)
{
	if (members->n == 0)
		return;
	buf_add_char(b, ',');
	buf_add(b, buf_str(members));
}

void job_summary_put(const struct job_summaries *s, struct str id, const char *host, int64_t end_us,
		 struct buf *b)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct line l = { .complete = false };
	const struct summary_job *j = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (str_eq(id, str_of(s->job[i].id)))
			j = &s->job[i];
	json_open(&header, NULL, '{');
	json_raw(&header, "job", STR(""));
	l.complete = put_id(&header, id) && j && j->since.begin;
	put_header(&header, j, host, end_us);
	/* ,"complete":false,"schema":1}, and the newline after it */
	l.room = SUMMARY_MAX - header.n - sizeof(",\"complete\":false,\"schema\":1}");
	if (j)
		put_figures(&l, s, j);
	json_bool(&header, "complete", l.complete);
	json_u64(&header, "schema", 1);
	put_members(&header, &l.figures);
	put_members(&header, &l.partial);
	json_close(&header, '}');
	buf_add(b, buf_str(&header));
	buf_free(&l.figures);
	buf_free(&l.partial);
}
