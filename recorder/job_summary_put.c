/* SPDX-License-Identifier: BSD-3-Clause */
/* job_summary_put.c - the line that the figures of a job's summary make */
#include "recorder/job_summary.h"

#include <string.h>
#include "base/json.h"

#define ID_MAX     260	/* bytes of the id in JSON, its quotes included */
#define PARTIAL    ",\"partial\":["
#define HEADER_MAX 340	/* with the longest id; then hardly a figure has room */

/* What is known so far of the figures of one name. */
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

/* What the line gets together, so that what stands first can report what comes after. */
struct line {
	struct buf figures, partial;
	size_t room;
	bool complete;
};

static void put_figure(struct line *l, const char *name, enum since_state state, double value)
{
	size_t before = l->figures.n, partial = l->partial.n;
	l->complete &= state == SINCE_KNOWN;
	if (state == SINCE_UNKNOWN)
		return;
	buf_addf(&l->figures, ",\"%s\":%.4g", name, value);
	if (state == SINCE_PART)
		buf_addf(&l->partial, "%s\"%s\"", partial ? "," : PARTIAL, name);
	if (l->figures.n + l->partial.n + 1 <= l->room)
		return;
	l->figures.n = before;
	l->partial.n = partial;
	l->room = 0;	/* what comes after is worth less */
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
		buf_add_char(&l->partial, ']');
}

/* Bytes that are no UTF-8 take six of them. What does not fit is cut off, and told. */
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
	struct buf name CLEANUP(buf_free) = { 0 };
	json_put_string(&name, str_of(host));
	if (b->n + name.n + 80 <= HEADER_MAX)
		buf_addf(b, ",\"host\":" STR_FMT, STR_ARG(buf_str(&name)));
	if (end_us)
		buf_addf(b, ",\"end\":%lld", (long long)(end_us / 1000000));
	if (j && j->since_us && end_us >= j->since_us)
		buf_addf(b, ",\"elapsed_s\":%.10g",
			 (double)((end_us - j->since_us) / 1000) / 1000);
	if (j && j->shared)
		buf_add(b, STR(",\"shared\":true"));
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
	buf_add(&header, STR("{\"job\":"));
	l.complete = put_id(&header, id) && j && j->since.begin;
	put_header(&header, j, host, end_us);
	/* ,"complete":false}, and the newline after it */
	l.room = SUMMARY_MAX - header.n - sizeof(",\"complete\":false}");
	if (j)
		put_figures(&l, s, j);
	buf_addf(b, STR_FMT ",\"complete\":%s" STR_FMT STR_FMT "}", STR_ARG(buf_str(&header)),
		 l.complete ? "true" : "false", STR_ARG(buf_str(&l.figures)),
		 STR_ARG(buf_str(&l.partial)));
	buf_free(&l.figures);
	buf_free(&l.partial);
}
