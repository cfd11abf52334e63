/* SPDX-License-Identifier: BSD-3-Clause */
/* job_summary.c - the figures of the node and of its jobs are followed while jobs run */
#include "recorder/job_summary.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

static void end_job(struct summary_job *j)
{
	since_free(&j->since);
	tally_free(j->own);
	free(j->id);
}

void job_summary_free(struct job_summaries *s)
{
	for (size_t i = 0; i < s->n; i++)
		end_job(&s->job[i]);
	for (size_t i = 0; i < s->n_types; i++)
		free(s->type[i].key);
	tally_free(s->tally);
	below_free(&s->below);
	free(s->row);
	free(s->type);
	free(s->sample);
	free(s->absent);
	free(s->job);
	*s = (struct job_summaries){ .n = 0 };
}

/* The figures with a name in the line; rows of one type stand together in both tables. */
static void find_figures(struct job_summaries *s)
{
	size_t n = 0;

	s->row = xrealloc(NULL, n_figures * sizeof(*s->row));
	for (int own = 0; own < 2; own++) {
		struct figures *table = own ? &s->own : &s->node;
		table->row = s->row + n;
		for (size_t i = 0; i < n_figures; i++)
			if (figures[i].summary && !figures[i].own == !own)
				s->row[n++] = figures[i];
		table->n = (size_t)(s->row + n - table->row);
	}
}

static void add_type(struct job_summaries *s, size_t at, bool own)
{
	const struct type *type = types[at];
	struct raw_key *key = xrealloc(NULL, type->n_metrics * sizeof(*key));

	for (size_t i = 0; i < type->n_metrics; i++) {
		const struct metric *m = &type->metrics[i];
		key[i] = (struct raw_key){ .name = m->name, .unit = m->unit, .kind = m->kind,
					   .bits = m->bits };
		key[i].unit_name = metric_unit_split(m->unit, &key[i].scale);
	}
	s->type = xrealloc(s->type, (s->n_types + 1) * sizeof(*s->type));
	s->type[s->n_types++] = (struct summary_type){
		.type = { type->name, key, type->n_metrics }, .key = key, .at = at, .own = own,
	};
}

static void follow(struct job_summaries *s)
{
	size_t first, end;

	find_figures(s);
	for (size_t i = 0; i < n_types; i++) {
		struct str type = str_of(types[i]->name);
		bool own = figures_of_type(s->own, type, &first, &end);
		if (own || figures_of_type(s->node, type, &first, &end))
			add_type(s, i, own);
	}
	s->tally = tally_new(STR(""), s->node, NULL);
	tally_limit(s->tally, SUMMARY_DEVICES_MAX);
}

static struct summary_job *find_job(const struct job_summaries *s, struct str id)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(id, str_of(s->job[i].id)))
			return &s->job[i];
	return NULL;
}

static struct summary_job *add_job(struct job_summaries *s, struct str id, int64_t since_us)
{
	s->job = xrealloc(s->job, (s->n + 1) * sizeof(*s->job));
	struct summary_job *j = &s->job[s->n++];
	*j = (struct summary_job){ .id = xstrdup(id), .since_us = since_us };
	return j;
}

static void drop_job(struct job_summaries *s, struct summary_job *j)
{
	end_job(j);
	*j = s->job[--s->n];
}

void job_summary_forget(struct job_summaries *s, struct str id)
{
	struct summary_job *j = find_job(s, id);
	if (!j)
		return;
	drop_job(s, j);
	if (s->n == 0)
		job_summary_free(s);
}

void job_summary_begin(struct job_summaries *s, struct str id, int64_t since_us)
{
	job_summary_forget(s, id);
	add_job(s, id, since_us)->fresh = true;
}

void job_summary_end(struct job_summaries *s, struct str id)
{
	struct summary_job *j = find_job(s, id);
	if (!j)
		j = add_job(s, id, 0);
	j->ending = true;
}

void job_summary_keep(struct job_summaries *s, const struct jobs *jobs)
{
	for (size_t i = s->n; i-- > 0; ) {
		const struct job *job = jobs_find(jobs, str_of(s->job[i].id));
		if (!job || job->since_us != s->job[i].since_us)
			drop_job(s, &s->job[i]);
	}
	for (size_t i = 0; i < jobs->n; i++)
		if (!find_job(s, str_of(jobs->job[i].id)))
			add_job(s, str_of(jobs->job[i].id), jobs->job[i].since_us);
	if (s->n == 0)
		job_summary_free(s);
}

/* What the sampler knows of devices, if that has changed. */
static bool take_below(struct job_summaries *s, const struct sampler *sampler)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str rest, line;
	uint32_t turn = 0;

	for (size_t i = 0; i < s->n_types; i++)
		turn += sampler->type[s->type[i].at].below_turn;
	if (turn == s->below_turn)
		return false;
	s->below_turn = turn;
	below_clear(&s->below);
	for (size_t i = 0; i < s->n_types; i++)
		type_put_below(&sampler->type[s->type[i].at], &text);
	for (rest = buf_str(&text); str_take_line(&rest, &line); )
		if (str_take_prefix(&line, STR("$below ")))
			below_add(&s->below, line);
	return true;
}

static bool has(const struct rows *rows, size_t row, size_t key)
{
	return rows_present(rows, row)[key / 64] >> key % 64 & 1;
}

static void reopen(struct tally *t, const struct raw_row *row)
{
	struct buf words CLEANUP(buf_free) = { 0 };
	buf_addf(&words, "%s " STR_FMT, row->type->name, STR_ARG(row->device));
	tally_reopen(t, buf_str(&words));
}

/* The keys that were not read, NULL if all were. */
static const bool *absent_keys(struct job_summaries *s, const struct rows *from, size_t row)
{
	bool *absent = s->absent + s->n_absent, any = false;

	for (size_t k = 0; k < from->n_metrics; k++) {
		absent[k] = !has(from, row, k);
		any |= absent[k];
	}
	s->n_absent += from->n_metrics;
	return any ? absent : NULL;
}

static struct raw_row row_of(struct job_summaries *s, const struct summary_type *t,
			     const struct rows *from, size_t row)
{
	return (struct raw_row){ .type = &t->type, .device = rows_device(from, row),
				 .value = rows_values(from, row),
				 .absent = absent_keys(s, from, row) };
}

/* Room for the rows of the newest sample. */
static void make_room(struct job_summaries *s, const struct sampler *sampler)
{
	size_t rows = 0, keys = 0;

	for (size_t i = 0; i < s->n_types; i++) {
		const struct rows *from = &sampler->type[s->type[i].at].source.rows;
		rows += from->n;
		keys += from->n * from->n_metrics;
	}
	s->sample = vec_reserve(s->sample, &s->cap_sample, rows, sizeof(*s->sample));
	s->absent = vec_reserve(s->absent, &s->cap_absent, keys, sizeof(*s->absent));
	s->n_absent = 0;
}

static void take_node(struct job_summaries *s, const struct sampler *sampler, struct raw_group *g)
{
	for (size_t i = 0; i < s->n_types; i++) {
		const struct rows *from = &sampler->type[s->type[i].at].source.rows;
		for (size_t row = 0; row < from->n && !s->type[i].own; row++) {
			s->sample[g->n_rows] = row_of(s, &s->type[i], from, row);
			if (from->name[row].reopened)
				reopen(s->tally, &s->sample[g->n_rows]);
			g->n_rows++;
		}
	}
	tally_group(s->tally, g);
}

static void take_own_row(struct job_summaries *s, const struct summary_type *t,
			 const struct rows *from, size_t row, struct raw_group *g)
{
	struct summary_job *j = find_job(s, rows_device(from, row));
	if (!j || j->has_row)
		return;
	struct raw_row one = row_of(s, t, from, row);
	if (!j->own)
		j->own = tally_new(str_of(j->id), s->own, NULL);
	if (from->name[row].reopened)
		reopen(j->own, &one);
	g->row = &one;
	g->n_rows = 1;
	tally_group(j->own, g);
	j->has_row = true;
}

/* Each job's own row, or that there is none. */
static void take_own(struct job_summaries *s, const struct sampler *sampler, struct raw_group *g)
{
	for (size_t i = 0; i < s->n; i++)
		s->job[i].has_row = false;
	for (size_t i = 0; i < s->n_types; i++) {
		const struct rows *from = &sampler->type[s->type[i].at].source.rows;
		for (size_t row = 0; row < from->n && s->type[i].own; row++)
			take_own_row(s, &s->type[i], from, row, g);
	}
	g->n_rows = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->job[i].own && !s->job[i].has_row)
			tally_group(s->job[i].own, g);
}

static void mark_shared(struct job_summaries *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += !s->job[i].ending;
	for (size_t i = 0; i < s->n; i++)
		s->job[i].shared |= n > 1 && !s->job[i].ending;
}

void job_summary_take(struct job_summaries *s, const struct sampler *sampler, int64_t now_ns)
{
	if (s->n == 0)
		return;
	if (!s->tally)
		follow(s);
	struct raw_group g = { .usec = now_ns / 1000, .below = &s->below };
	g.restart = take_below(s, sampler);
	make_room(s, sampler);
	g.row = s->sample;
	take_node(s, sampler, &g);
	take_own(s, sampler, &g);
	mark_shared(s);
	for (size_t i = 0; i < s->n; i++) {
		struct summary_job *j = &s->job[i];
		bool between = !j->fresh && !j->ending;
		if (j->fresh)
			since_begin(&j->since, s->tally);
		j->fresh = false;
		if (j->since.begin)
			since_take(&j->since, s->tally, between);
	}
}
