/* SPDX-License-Identifier: BSD-3-Clause */
/* index_make.c - which jobs are in a file of records, and when */
#include "archive/index.h"

#include <errno.h>
#include <stdlib.h>
#include "base/map.h"

struct entry {
	char *id, *user;	/* .user NULL: not known */
	int64_t first, last;
	uint64_t samples, record;	/* .record: the newest that was counted */
	bool begun, ended;
};

struct maker {
	struct entry *entry;
	size_t n, cap;
	struct map by_id;
	size_t text_bytes;
	int64_t first, last;
	uint64_t records;
	bool defect;
};

static void note_defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	struct maker *m = arg;
	(void)kind;
	(void)line;
	(void)what;
	m->defect = true;
}

static struct entry *entry_of(struct maker *m, struct str id)
{
	uint64_t hash = map_hash(id);
	for (struct map_slot *at = NULL; (at = map_next(&m->by_id, hash, at)); )
		if (str_eq(id, str_of(m->entry[at->value.n].id)))
			return &m->entry[at->value.n];
	map_add(&m->by_id, hash, (union map_value){ .n = m->n });
	m->entry = vec_reserve(m->entry, &m->cap, m->n + 1, sizeof(*m->entry));
	m->text_bytes += id.n + 80;	/* of its line, the user aside */
	struct entry *e = &m->entry[m->n++];
	*e = (struct entry){ .id = xstrdup(id), .first = INT64_MAX, .last = INT64_MIN };
	return e;
}

static struct entry *take_id(struct maker *m, struct str id, int64_t usec)
{
	m->defect |= str_has(id, '\0') || usec < 0;	/* it has no line of text */
	struct entry *e = entry_of(m, id);
	e->first = usec < e->first ? usec : e->first;
	e->last = usec > e->last ? usec : e->last;
	e->samples += e->record != m->records;
	e->record = m->records;
	return e;
}

static void take_user(struct maker *m, struct entry *e, struct str words)
{
	struct str word;
	while (str_take_word(&words, &word)) {
		if (!str_take_prefix(&word, STR("user=")) || word.n == 0 || str_has(word, '\0'))
			continue;
		free(e->user);
		e->user = xstrdup(word);
		m->text_bytes += word.n;
	}
}

static void take_mark(struct maker *m, const struct mark *mark, int64_t usec)
{
	if (mark->kind != MARK_BEGIN && mark->kind != MARK_END && mark->kind != MARK_ATTRIBUTES)
		return;
	struct entry *e = take_id(m, mark->subject, usec);
	e->begun |= mark->kind == MARK_BEGIN;
	e->ended |= mark->kind == MARK_END;
	take_user(m, e, mark->rest);
}

static void take_record(struct maker *m, const struct record *r)
{
	m->records++;
	m->first = r->usec < m->first ? r->usec : m->first;
	m->last = r->usec > m->last ? r->usec : m->last;
	for (size_t i = 0; i < r->n_jobs; i++)
		take_id(m, r->job[i], r->usec);
	for (size_t i = 0; i < r->n_marks; i++)
		take_mark(m, &r->mark[i], r->usec);
}

static int read_records(struct maker *m, const struct byte_source *from)
{
	const struct record_listener listener = { note_defect, m };
	struct record_source source = records_open(from, &listener);
	const struct record *r;
	int more = 0;
	while (m->text_bytes <= INDEX_MAX && !m->defect && (more = record_next(&source, &r)) > 0)
		take_record(m, r);
	record_source_end(&source);
	if (m->text_bytes > INDEX_MAX)
		return -E2BIG;
	return m->defect || more < 0 || m->records == 0 ? -EBADMSG : 0;
}

static void put_text(const struct maker *m, struct buf *text)
{
	buf_addf(text, "records %llu %lld %lld\n", (unsigned long long)m->records,
		 (long long)m->first, (long long)m->last);
	for (size_t i = 0; i < m->n; i++) {
		const struct entry *e = &m->entry[i];
		buf_addf(text, "job %s %lld %lld %llu %s%s%s %s\n", e->id, (long long)e->first,
			 (long long)e->last, (unsigned long long)e->samples, e->begun ? "b" : "",
			 e->ended ? "e" : "", e->begun || e->ended ? "" : "-",
			 e->user ? e->user : "-");
	}
}

int index_make(const struct byte_source *from, struct buf *text)
{
	struct maker m = { .first = INT64_MAX, .last = INT64_MIN };
	int r = read_records(&m, from);
	text->n = 0;
	put_text(&m, text);
	if (text->n > INDEX_MAX)
		r = -E2BIG;
	for (size_t i = 0; i < m.n; i++) {
		free(m.entry[i].id);
		free(m.entry[i].user);
	}
	free(m.entry);
	map_free(&m.by_id);
	return r;
}
