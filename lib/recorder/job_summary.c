/* SPDX-License-Identifier: BSD-3-Clause */
/* job_summary.c - compute the summaries of the running jobs */
#include "recorder/job_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/vec.h"
#include "figures/usual.h"

#define ID_MAX     260	/* bytes: limit of the job id in JSON, with its quotes */
/*
 * bytes: limit of the JSON members before the figures; with the longest job id, they leave hardly
 * any room for figures in the summary
 */
#define HEADER_MAX 340

static void summary_free_job(struct summary_job *j)
{
	since_free(&j->since);
	tally_free(j->tally);
	free(j->id);
}

void job_summary_free(struct job_summaries *s)
{
	for (size_t i = 0; i < s->n; i++)
		summary_free_job(&s->job[i]);
	tally_free(s->tally);
	free(s->row);
	free(s->type);
	free(s->rows);
	free(s->job);
	*s = (struct job_summaries){ .n = 0 };
}

/*
 * Fill .node_figures and .job_figures with the figures that summaries use. The rows of one record
 * type are adjacent.
 */
static void summary_find_figures(struct job_summaries *s)
{
	size_t n = 0;

	s->row = xrealloc(NULL, n_figures * sizeof(*s->row));
	for (int of_job = 0; of_job < 2; of_job++) {
		struct figures *table = of_job ? &s->job_figures : &s->node_figures;
		table->row = s->row + n;
		for (size_t i = 0; i < n_figures; i++)
			if (figures[i].summary && !figures[i].job_row == !of_job)
				s->row[n++] = figures[i];
		table->n = (size_t)(s->row + n - table->row);
	}
}

static void summary_start(struct job_summaries *s)
{
	summary_find_figures(s);
	s->tally = tally_new(STR(""), s->node_figures, NULL);
	tally_limit(s->tally, SUMMARY_DEVICES_MAX);
}

/*
 * Return USED_BY_JOB or USED_BY_NODE if summaries use the rows of this record type, which are about
 * single jobs or about the node, or USED_BY_NONE.
 */
static int summary_use_of(struct job_summaries *s, const struct record_type *type)
{
	struct str name = str_of(type->name);
	size_t first, end, i = 0;

	while (i < s->n_types && s->type[i].type != type)
		i++;
	if (i == s->n_types) {
		s->type = xrealloc(s->type, (i + 1) * sizeof(*s->type));
		s->type[s->n_types++] = (struct summary_type){
			.type = type,
			.used_by = figures_of_type(s->job_figures, name, &first, &end) ?
				   USED_BY_JOB :
				   figures_of_type(s->node_figures, name, &first, &end) ?
				   USED_BY_NODE : USED_BY_NONE,
		};
	}
	return s->type[i].used_by;
}

static struct summary_job *summary_find_job(const struct job_summaries *s, struct str id)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(id, str_of(s->job[i].id)))
			return &s->job[i];
	return NULL;
}

static struct summary_job *summary_add_job(struct job_summaries *s, struct str id, int64_t since_us)
{
	s->job = xrealloc(s->job, (s->n + 1) * sizeof(*s->job));
	struct summary_job *j = &s->job[s->n++];
	*j = (struct summary_job){ .id = xstrdup(id), .since_us = since_us };
	return j;
}

static void summary_drop_job(struct job_summaries *s, struct summary_job *j)
{
	summary_free_job(j);
	*j = s->job[--s->n];
}

void job_summary_forget(struct job_summaries *s, struct str id)
{
	struct summary_job *j = summary_find_job(s, id);
	if (!j)
		return;
	summary_drop_job(s, j);
	if (s->n == 0)
		job_summary_free(s);
}

void job_summary_begin(struct job_summaries *s, struct str id, int64_t since_us)
{
	job_summary_forget(s, id);
	summary_add_job(s, id, since_us)->fresh = true;
}

void job_summary_end(struct job_summaries *s, struct str id)
{
	struct summary_job *j = summary_find_job(s, id);
	if (!j)
		j = summary_add_job(s, id, 0);
	j->ending = true;
}

void job_summary_keep(struct job_summaries *s, const struct jobs *jobs)
{
	for (size_t i = s->n; i-- > 0; ) {
		const struct job *job = jobs_find(jobs, str_of(s->job[i].id));
		if (!job || job->since_us != s->job[i].since_us)
			summary_drop_job(s, &s->job[i]);
	}
	for (size_t i = 0; i < jobs->n; i++)
		if (!summary_find_job(s, str_of(jobs->job[i].id)))
			summary_add_job(s, str_of(jobs->job[i].id), jobs->job[i].since_us);
	if (s->n == 0)
		job_summary_free(s);
}

void job_summary_forget_types(struct job_summaries *s)
{
	s->n_types = 0;
	if (s->tally)
		tally_new_file(s->tally);
	for (size_t i = 0; i < s->n; i++)
		if (s->job[i].tally)
			tally_new_file(s->job[i].tally);
}

static void summary_count_node(struct job_summaries *s, struct record r)
{
	size_t n = 0;

	s->rows = vec_reserve(s->rows, &s->cap_rows, r.n_types, sizeof(*s->rows));
	for (size_t i = 0; i < r.n_types; i++)
		if (summary_use_of(s, r.rows[i].type) == USED_BY_NODE)
			s->rows[n++] = r.rows[i];
	r.rows = s->rows;
	r.n_types = n;
	tally_marks(s->tally, &r);
	tally_record(s->tally, &r, false);
}

static void summary_count_own_row(struct job_summaries *s, struct record r,
				  const struct record_type *type,
				  const struct record_row *row)
{
	const struct record_rows one = { type, row, 1 };
	struct summary_job *j = summary_find_job(s, row->device);

	if (!j || j->has_row)
		return;
	if (!j->tally)
		j->tally = tally_new(str_of(j->id), s->job_figures, NULL);
	r.rows = &one;
	r.n_types = 1;
	tally_marks(j->tally, &r);
	tally_record(j->tally, &r, false);
	j->has_row = true;
}

/* Add the row of each job in the record to the job's tally, and set the job's .has_row. */
static void summary_count_own(struct job_summaries *s, struct record r)
{
	for (size_t i = 0; i < s->n; i++)
		s->job[i].has_row = false;
	for (size_t i = 0; i < r.n_types; i++) {
		const struct record_rows *rows = &r.rows[i];
		for (size_t k = 0; k < rows->n && summary_use_of(s, rows->type) == USED_BY_JOB; k++)
			summary_count_own_row(s, r, rows->type, &rows->row[k]);
	}
	r.n_types = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->job[i].tally && !s->job[i].has_row)
			tally_record(s->job[i].tally, &r, false);
}

static void summary_mark_shared(struct job_summaries *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += !s->job[i].ending;
	for (size_t i = 0; i < s->n; i++)
		s->job[i].shared |= n > 1 && !s->job[i].ending;
}

static void summary_count_held(struct job_summaries *s, const struct jobs *jobs,
			       const struct record *sample)
{
	for (size_t i = 0; i < jobs->n; i++) {
		const struct job *job = &jobs->job[i];
		struct summary_job *j = job->gpus[0] ? summary_find_job(s, str_of(job->id)) : NULL;
		if (!j)
			continue;
		held_give(&j->held, str_of(job->gpus));
		held_take(&j->held, sample, str_of(j->id));
	}
}

void job_summary_take(struct job_summaries *s, const struct jobs *jobs,
		      const struct record *sample, int64_t now_ns)
{
	struct record r = *sample;

	if (s->n == 0)
		return;
	if (!s->tally)
		summary_start(s);
	r.usec = now_ns / 1000;
	summary_count_node(s, r);
	summary_count_own(s, r);
	summary_mark_shared(s);
	for (size_t i = 0; i < s->n; i++) {
		struct summary_job *j = &s->job[i];
		bool edge = j->fresh || j->ending;
		if (j->fresh)
			since_begin(&j->since, s->tally);
		j->fresh = false;
		if (j->since.begin)
			since_take(&j->since, s->tally, edge);
	}
	summary_count_held(s, jobs, sample);
}

/* Sum of all figures that have the same name in a summary. */
struct figure_sum {
	enum since_state state;
	double n;
};

static void figure_sum_add(struct figure_sum *sum, enum since_state one, const double *value)
{
	if (one > sum->state)
		sum->state = one;
	if (one != SINCE_ABSENT)
		sum->n += *value;
}

static struct figure_sum summary_sum_figures(const struct job_summaries *s,
					     const struct summary_job *j,
					     const char *name)
{
	struct figure_sum sum = { SINCE_ABSENT, 0 };
	double value = 0;

	for (size_t i = 0; i < s->node_figures.n; i++)
		if (strcmp(s->node_figures.row[i].summary, name) == 0)
			figure_sum_add(&sum, since_value(&j->since, s->tally, i, &value), &value);
	for (size_t i = 0; j->tally && i < s->job_figures.n; i++)
		if (strcmp(s->job_figures.row[i].summary, name) == 0)
			figure_sum_add(&sum, own_value(j->tally, i, &value), &value);
	return sum;
}

/*
 * A summary under construction. The member "complete" comes before the figures but depends on them,
 * so the figures are collected in a separate buffer.
 */
struct summary_line {
	struct buf figures, partial;
	size_t room;
	bool complete;
};

/* Append a number with at most `digits` significant digits. */
static void summary_put_number(struct buf *b, const char *name, int digits, double v)
{
	char text[32];
	snprintf(text, sizeof(text), "%.*g", digits, v);
	json_raw(b, name, str_of(text));
}

static void summary_put_figure(struct summary_line *l, const char *name, enum since_state state,
			       double value)
{
	size_t before = l->figures.n, partial = l->partial.n;
	l->complete &= state == SINCE_KNOWN;
	if (state == SINCE_UNKNOWN)
		return;
	summary_put_number(&l->figures, name, 4, value);
	if (state == SINCE_PART && !partial)
		json_open(&l->partial, "partial", '[');
	if (state == SINCE_PART)
		json_str(&l->partial, NULL, str_of(name));
	/*
	 * keep the figure if there is room for a comma and all figures, and for a comma, the list
	 * of partial figures and the list's closing bracket
	 */
	if (l->figures.n + l->partial.n + (l->partial.n > 0) + 2 <= l->room)
		return;
	l->figures.n = before;
	l->partial.n = partial;
	/* stop here, although a later, shorter figure may fit: later figures are less important */
	l->room = 0;
	l->complete = false;
}

static void summary_put_figures(struct summary_line *l, const struct job_summaries *s,
				const struct summary_job *j)
{
	for (size_t i = 0; i < n_summary_names; i++) {
		struct figure_sum sum = summary_sum_figures(s, j, summary_names[i]);
		if (sum.state != SINCE_ABSENT)
			summary_put_figure(l, summary_names[i], sum.state, sum.n);
	}
	if (l->partial.n)
		json_close(&l->partial, ']');
}

/*
 * Get the energy of the whole node in joules: from the node's energy counter or, if there is none,
 * as the sum over processors and GPUs. Returns false if one of these energies is unknown.
 */
static bool summary_get_joules(const struct job_summaries *s, const struct summary_job *j,
			       double *ret)
{
	const struct figure_sum node = summary_sum_figures(s, j, "node_energy");
	const struct figure_sum packages = summary_sum_figures(s, j, "energy");
	const struct figure_sum gpus = summary_sum_figures(s, j, "gpu_energy");

	*ret = node.state == SINCE_KNOWN ? node.n : packages.n + gpus.n;
	if (node.state != SINCE_ABSENT)
		return node.state == SINCE_KNOWN;
	return (packages.state == SINCE_KNOWN || gpus.state == SINCE_KNOWN) &&
	       packages.state <= SINCE_KNOWN && gpus.state <= SINCE_KNOWN;
}

static void summary_put_costs(struct summary_line *l, const struct job_summaries *s,
			      const struct summary_job *j,
			      int64_t end_us, const struct factors *f)
{
	double joules;

	if (!factors_are_set(f) || j->shared || !j->since_us || !summary_get_joules(s, j, &joules))
		return;
	struct bill c = factors_cost(f, joules, j->since_us, end_us);
	summary_put_figure(l, "kwh", SINCE_KNOWN, c.kwh);
	if (c.grams >= 0)
		summary_put_figure(l, "co2_grams", SINCE_KNOWN, c.grams);
	if (c.price >= 0)
		summary_put_figure(l, "price", SINCE_KNOWN, c.price);
}

/*
 * Append the job id, truncated to ID_MAX bytes of JSON: a byte that is not UTF-8 takes six. Returns
 * false if it was truncated.
 */
static bool summary_put_id(struct buf *b, struct str id)
{
	size_t before = b->n, whole = id.n;
	for (json_put_string(b, id); b->n - before > ID_MAX; json_put_string(b, id)) {
		b->n = before;
		id.n--;
	}
	return id.n == whole;
}

static void summary_put_header(struct buf *b, const struct summary_job *j, const char *host,
			       int64_t end_us)
{
	size_t before = b->n;
	json_str(b, "host", str_of(host));
	if (b->n + 72 > HEADER_MAX)
		b->n = before;
	if (end_us)
		json_int(b, "end", end_us / 1000000);
	if (j && j->since_us && end_us >= j->since_us)
		summary_put_number(b, "elapsed_s", 10,
				   (double)((end_us - j->since_us) / 1000) / 1000);
	if (j && j->shared)
		json_bool(b, "shared", true);
}

static void summary_put_members(struct buf *b, const struct buf *members)
{
	if (members->n == 0)
		return;
	buf_add_char(b, ',');
	buf_add(b, buf_str(members));
}

void job_summary_put(const struct job_summaries *s, struct str id, const char *host, int64_t end_us,
		     const struct factors *f, struct buf *b)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct summary_line l = { .complete = false };
	const struct summary_job *j = summary_find_job(s, id);

	json_open(&header, NULL, '{');
	json_raw(&header, "job", STR(""));
	l.complete = summary_put_id(&header, id) && j && j->since.begin;
	summary_put_header(&header, j, host, end_us);
	/* leaves room for ,"complete":false,"schema":1} and the newline */
	l.room = SUMMARY_MAX - header.n - sizeof(",\"complete\":false,\"schema\":1}");
	if (j) {
		summary_put_costs(&l, s, j, end_us, f);
		summary_put_figures(&l, s, j);
	}
	json_bool(&header, "complete", l.complete);
	json_u64(&header, "schema", 1);
	summary_put_members(&header, &l.figures);
	summary_put_members(&header, &l.partial);
	json_close(&header, '}');
	buf_add(b, buf_str(&header));
	buf_free(&l.figures);
	buf_free(&l.partial);
}

static void summary_put_held_time(struct buf *b, int64_t usec)
{
	buf_add_char(b, ' ');
	if (usec)
		buf_add_time(b, usec);
	else
		buf_add_char(b, '-');
}

void job_summary_put_held(const struct job_summaries *s, struct buf *b)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct held *h = &s->job[i].held;
		for (unsigned k = 0; k < h->n; k++) {
			const struct held_gpu *g = &h->gpu[k];
			if (g->known && !g->since)
				continue;
			buf_addf(b, "held %s %u", s->job[i].id, g->number);
			summary_put_held_time(b, g->since);
			summary_put_held_time(b, g->used);
			summary_put_held_time(b, h->usec);
			buf_add_char(b, '\n');
		}
	}
}
