/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c - examine the newest records of a node */
#include "report/fleet/look.h"

#include <stdlib.h>
#include "formats/format.h"
#include "schema/record_source.h"

static struct look_job *job_of(struct look *l, struct str id)
{
	for (size_t i = l->n_jobs; i-- > 0; )
		if (str_eq(str_of(l->job[i].id), id))
			return &l->job[i];
	if (l->n_jobs == LOOK_JOBS_MAX)
		return NULL;
	l->job = vec_reserve(l->job, &l->cap_jobs, l->n_jobs + 1, sizeof(*l->job));
	l->job[l->n_jobs] = (struct look_job){ .id = xstrdup(id) };
	return &l->job[l->n_jobs++];
}

static bool has_source(const struct mark *m, struct str source)
{
	struct str rest = m->rest, word;
	return str_take_word(&rest, &word) && str_take_prefix(&word, STR("source=")) &&
	       str_eq(word, source);
}

static void begin_job(struct look_job *j, const struct mark *m)
{
	*j = (struct look_job){ .id = j->id, .owns = j->owns,
				.hooked = has_source(m, STR("hook")) };
}

/*
 * End a job. Set .unhooked if no scheduler hook reported the end: the begin of a later job ended
 * this job, or this job's cgroup disappeared although a hook had reported its begin.
 */
static void look_end_job(struct look_job *j, const struct mark *m, int64_t usec)
{
	j->ended_us = usec;
	j->owns = false;
	j->unhooked = has_source(m, STR("later-begin")) ||
		      (j->hooked && has_source(m, STR("cgroup")));
}

static void look_take_jobs(struct look *l, const struct record *r)
{
	for (size_t i = 0; i < l->n_jobs; i++)
		l->job[i].owns = false;
	for (size_t i = 0; i < r->n_jobs; i++) {
		struct look_job *j = job_of(l, r->job[i]);
		if (!j)
			continue;
		j->owns = true;
		j->listed_first |= r->usec == l->first_us;
	}
	for (size_t i = 0; i < r->n_marks; i++) {
		const struct mark *m = &r->mark[i];
		bool begins = m->kind == MARK_BEGIN;
		struct look_job *j = begins || m->kind == MARK_END ? job_of(l, m->subject) : NULL;
		if (j && begins)
			begin_job(j, m);
		else if (j)
			look_end_job(j, m, r->usec);
	}
}

static uint64_t value_of(const struct record_type *t, const struct record_row *row,
			 const char *key)
{
	int k = record_key_find(t, key);
	return k >= 0 && row_has(row, (size_t)k) ? row->value[k] : 0;
}

/*
 * Read the agent's own statistics. Its row of totals also counts record groups that could not be
 * written as errors; their number is the total less the errors of all types.
 */
static void take_costs(struct look *l, const struct record *r)
{
	const struct record_type *t;
	const struct record_row *own = record_own_row(r, &t);
	const struct record_rows *rows = own ? &r->rows[r->n_types - 1] : NULL;
	uint64_t errors = 0;

	l->failing.n = 0;
	for (size_t i = 0; own && &rows->row[i] != own; i++) {
		const struct record_row *row = &rows->row[i];
		uint64_t failed = value_of(t, row, "errors");
		errors += failed;
		if (failed || value_of(t, row, "stalls"))
			buf_addf(&l->failing, "%s" STR_FMT, l->failing.n ? ", " : "",
				 STR_ARG(row->device));
	}
	if (own && value_of(t, own, "errors") > errors)
		l->lost += value_of(t, own, "errors") - errors;
}

static void take_header(struct look *l, const struct record_source *from)
{
	const struct record_type *t;
	struct str program = record_property(from, "agent");
	struct str topology = record_property(from, "topology");

	/* programs other than nodometer have their name in the first line: "tacc_stats 1.0.5" */
	if (!program.n)
		program = record_property(from, "");
	l->program = program.n ? xstrdup(program) : NULL;
	l->topology = topology.n ? xstrdup(topology) : NULL;
	for (size_t i = 0; (t = record_type_at(from, i)); i++)
		buf_add(&l->types, (struct str){ t->name, strlen(t->name) + 1 });
}

static void take_records(struct look *l, const struct record_source *from)
{
	const struct record *r;
	while (record_next(from, &r) > 0) {
		if (!l->first_us)
			l->first_us = r->usec;
		l->last_us = r->usec;
		look_take_jobs(l, r);
		take_costs(l, r);
	}
	take_header(l, from);
}

static ssize_t look_read_text(void *arg, char *to, size_t n)
{
	struct str *left = arg;
	size_t few = left->n < n ? left->n : n;
	if (few)
		memcpy(to, left->p, few);
	*left = str_skip(*left, few);
	return (ssize_t)few;
}

void look_take(struct look *l, struct str text)
{
	struct record_source from = records_open(&(struct byte_source){ look_read_text, &text },
						 NULL);
	take_records(l, &from);
	record_source_end(&from);
}

void look_free(struct look *l)
{
	for (size_t i = 0; i < l->n_jobs; i++)
		free(l->job[i].id);
	free(l->job);
	free(l->program);
	free(l->topology);
	buf_free(&l->types);
	buf_free(&l->failing);
	*l = (struct look){ 0 };
}
