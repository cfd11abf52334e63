/* SPDX-License-Identifier: BSD-3-Clause */
/* survey.c - collect sample times, marks and keys, before anything is drawn */
#include "report/survey.h"

#include <stdlib.h>
#include "base/buf.h"
#include "figures/job.h"
#include "schema/foreign.h"

#define TIMES_ROOM (16 * SURVEY_TIMES_MAX)	/* capacity of .time, which may have duplicates */

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static void sort_times(struct survey *s)
{
	size_t n = 0;
	if (s->n_times > 0)
		qsort(s->time, s->n_times, sizeof(*s->time), by_time);
	for (size_t i = 0; i < s->n_times; i++)
		if (n == 0 || s->time[n - 1] != s->time[i])
			s->time[n++] = s->time[i];
	s->n_times = n;
	s->many_times |= n > SURVEY_TIMES_MAX;
}

static void survey_add_time(struct survey *s, int64_t usec)
{
	if (s->many_times)
		return;
	if (!s->time)
		s->time = xrealloc(NULL, TIMES_ROOM * sizeof(*s->time));
	s->time[s->n_times++] = usec;
	if (s->n_times == TIMES_ROOM)
		sort_times(s);
}

static void add_mark(struct survey *s, int64_t usec)
{
	for (size_t i = 0; i < s->n_marks; i++)
		if (llabs(s->mark[i] - usec) <= 1000000)
			return;
	if (s->n_marks < SURVEY_MARKS_MAX)
		s->mark[s->n_marks++] = usec;
}

static void survey_add_key(struct survey *s, struct str type, const struct record_key *k)
{
	struct buf name CLEANUP(buf_free) = { 0 };

	foreign_key(type, str_of(k->name), &name);
	for (size_t i = 0; i < s->n_keys; i++)
		if (str_eq(type, str_of(s->key[i].type)) &&
		    str_eq(buf_str(&name), str_of(s->key[i].key)))
			return;
	if (s->n_keys >= RECORD_KEYS_MAX)
		return;
	s->key = xrealloc(s->key, (s->n_keys + 1) * sizeof(*s->key));
	struct key_found *new = &s->key[s->n_keys++];
	*new = (struct key_found){ .type = xstrdup(type), .key = xstrdup(buf_str(&name)),
				   .kind = k->kind };
	str_copy(new->unit, sizeof(new->unit), str_of(k->unit));
	str_copy(new->unit_name, sizeof(new->unit_name), str_of(foreign_unit(k)));
}

static void look_at_type(struct survey *s, const struct record_type *t)
{
	struct str type = foreign_type(str_of(t->name));

	for (size_t i = 0; i < s->n_wanted; i++) {
		struct wanted *w = &s->wanted[i];
		if (w->derived || w->found || !str_eq(type, w->type))
			continue;
		for (size_t k = 0; k < t->n_keys; k++) {
			struct str key = str_of(t->key[k].name);
			if (w->key.n && !foreign_is_key(type, key, w->key) &&
			    !foreign_is_key(type, w->key, key))
				continue;
			survey_add_key(s, type, &t->key[k]);
			w->found = true;
		}
	}
}

static bool survey_is_wanted(const struct survey *s, struct str type)
{
	bool wanted = false;
	for (size_t i = 0; i < s->n_wanted; i++)
		wanted |= !s->wanted[i].derived && str_eq(type, s->wanted[i].type);
	return wanted;
}

static void add_devices(struct survey *s, const struct record_rows *rows)
{
	if (!survey_is_wanted(s, foreign_type(str_of(rows->type->name))))
		return;
	s->rows += rows->n;
	for (size_t i = 0; i < rows->n; i++) {
		if (s->device && !device_matches(rows->row[i].device, s->device))
			continue;
		s->matched++;
		if (s->by_device)
			lines_add_device(&s->lines, s->node, rows->row[i].device);
	}
}

void survey_sample(void *survey, const struct job_sample *t)
{
	const struct record *r = t->record;
	struct survey *s = survey;

	survey_add_time(s, r->usec);
	if (((t->what & JOB_OPEN) && t->begun) || (t->what & JOB_CLOSE))
		add_mark(s, r->usec);
	for (size_t i = 0; i < r->n_types && s->n_wanted > 0; i++) {
		look_at_type(s, r->rows[i].type);
		if (s->by_device || s->device)
			add_devices(s, &r->rows[i]);
	}
}

void survey_end(struct survey *s)
{
	sort_times(s);
	if (s->many_times)
		s->n_times = 0;
}

void survey_free(struct survey *s)
{
	for (size_t i = 0; i < s->n_keys; i++) {
		free(s->key[i].type);
		free(s->key[i].key);
	}
	free(s->key);
	free(s->time);
	lines_free(&s->lines);
}
