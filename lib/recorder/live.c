/* SPDX-License-Identifier: BSD-3-Clause */
/* live.c - make a record of the newest sample of this node, without writing it */
#include "recorder/live.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

void live_free(struct live *l)
{
	for (size_t i = 0; i < l->n_types; i++)
		free(l->type[i].key);
	free(l->type);
	free(l->row);
	free(l->rows);
	free(l->job);
	free(l->mark);
	buf_free(&l->marks);
	below_free(&l->below);
	*l = (struct live){ .n_types = 0 };
}

static const struct record_type *live_type_of(struct live *l, size_t at, const struct type *type)
{
	struct live_type *t = &l->type[at];

	if (t->key)
		return &t->type;
	t->key = xrealloc(NULL, type->n_metrics * sizeof(*t->key));
	for (size_t i = 0; i < type->n_metrics; i++) {
		const struct metric *m = &type->metrics[i];
		t->key[i] = (struct record_key){ .name = m->name, .unit = m->unit, .kind = m->kind,
						 .bits = m->bits ? m->bits : 64 };
		t->key[i].unit_name = metric_unit_split(m->unit, &t->key[i].scale);
	}
	t->type = (struct record_type){ type->name, t->key, type->n_metrics };
	return &t->type;
}

/*
 * Return true if the type has rows in this sample: it has none if it did not answer in time. Type
 * nodometer gets its rows later.
 */
static bool live_has_rows(const struct sampler *s, const struct type_state *t)
{
	return t != s->cost_type && t->result == 0 && t->source.rows.n > 0;
}

static void live_make_room(struct live *l, const struct sampler *s)
{
	size_t rows = 0;

	for (size_t i = 0; i < s->n_collected; i++)
		if (live_has_rows(s, s->collected[i]))
			rows += s->collected[i]->source.rows.n;
	l->row = vec_reserve(l->row, &l->cap_row, rows, sizeof(*l->row));
	l->rows = vec_reserve(l->rows, &l->cap_rows, s->n_collected, sizeof(*l->rows));
	if (l->type)
		return;
	l->n_types = s->n;
	l->type = memset(xrealloc(NULL, s->n * sizeof(*l->type)), 0, s->n * sizeof(*l->type));
}

static void live_put_rows(struct live *l, const struct sampler *s)
{
	struct record *r = &l->record;

	live_make_room(l, s);
	for (size_t i = 0; i < s->n_collected; i++) {
		const struct type_state *t = s->collected[i];
		const struct rows *from = &t->source.rows;
		if (!live_has_rows(s, t))
			continue;
		struct record_row *to = l->row + r->n_rows;
		for (size_t k = 0; k < from->n; k++)
			to[k] = (struct record_row){ .device = rows_device(from, k),
						     .value = rows_values(from, k),
						     .present = rows_present(from, k) };
		l->rows[r->n_types++] =
			(struct record_rows){ live_type_of(l, (size_t)(t - s->type), t->c->type),
					     to,
					      from->n };
		r->n_rows += from->n;
	}
	r->rows = l->rows;
}

static void live_put_jobs(struct live *l, struct str jobs)
{
	struct record *r = &l->record;
	struct str job;

	while (record_take_job(&jobs, &job)) {
		l->job = vec_reserve(l->job, &l->cap_job, r->n_jobs + 1, sizeof(*l->job));
		l->job[r->n_jobs++] = job;
	}
	r->job = l->job;
}

static void live_put_marks(struct live *l, const struct sampler *s, struct str marks)
{
	struct record *r = &l->record;
	struct str rest, line;

	l->marks.n = 0;
	buf_add(&l->marks, marks);
	buf_add(&l->marks, buf_str(&s->restarts));
	for (rest = buf_str(&l->marks); str_take_line(&rest, &line); ) {
		l->mark = vec_reserve(l->mark, &l->cap_mark, r->n_marks + 1, sizeof(*l->mark));
		l->mark[r->n_marks++] = mark_parse(str_skip(line, 1));
	}
	r->mark = l->mark;
}

/*
 * Copy the "$below" lines, which list the devices that a device is built on. Returns true if they
 * have changed.
 */
static bool live_update_below(struct live *l, const struct sampler *s)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str rest, line;
	uint32_t turn = 0;

	for (size_t i = 0; i < s->n; i++)
		turn += s->type[i].below_turn;
	if (turn == l->below_turn)
		return false;
	l->below_turn = turn;
	below_clear(&l->below);
	sampler_put_below(s, &text);
	for (rest = buf_str(&text); str_take_line(&rest, &line); )
		if (str_take_prefix(&line, STR("$below ")))
			below_add(&l->below, line);
	return true;
}

void live_fill(struct live *l, const struct sampler *s, int64_t usec, struct str jobs,
	       struct str marks)
{
	l->record = (struct record){ .usec = usec, .below = &l->below };
	l->record.restart = live_update_below(l, s);
	live_put_jobs(l, jobs);
	live_put_marks(l, s, marks);
	live_put_rows(l, s);
}
