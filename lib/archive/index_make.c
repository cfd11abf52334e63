/* SPDX-License-Identifier: BSD-3-Clause */
/* index_make.c - find out which jobs are in a file of records, and when */
#include "archive/index.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/files.h"
#include "base/map.h"
#include "base/vec.h"
#include "schema/boot.h"

/* Attributes of a job in its marks. */
enum attribute { USER, NODES, ACCOUNT, PARTITION, NAME, EXIT, STATE, ATTRIBUTES };
static const struct {
	const char *key;
	enum attribute is;
} attributes[] = {
	{ "user",      USER      },
	{ "nodes",     NODES     },
	{ "account",   ACCOUNT   },
	{ "queue",     PARTITION },
	{ "partition", PARTITION },
	{ "name",      NAME      },
	{ "exit",      EXIT      },
	{ "state",     STATE     },
};

#define LAST_LINE 64	/* limit of a line "last PLACE" or "unread FROM TO", in bytes */

/* A run of a job: the records from its begin to its end. Schedulers use job ids again. */
struct index_run {
	char *id, *attribute[ATTRIBUTES];	/* NULL: unknown */
	int64_t first, last;
	/* .samples: number of samples of the run; .counted: number of the record counted last */
	uint64_t samples, counted;
	uint64_t record;	/* number of the newest record that lists this run */
	/* TIME of the record after .record, if that record does not list the job */
	int64_t left;
	bool begun, ended;
};

/* Runs of the jobs that a record lists. */
struct index_named {
	size_t *run;		/* indexes into the runs of the file */
	size_t n, cap;
};

struct maker {
	struct index_run *entry;
	size_t n, cap;
	struct map by_id;
	struct boot boot;
	/* .now: runs that this record lists; .before: runs that the previous record listed */
	struct index_named now, before;
	size_t text_bytes;
	int64_t first, last;
	uint64_t records;
	bool defect;		/* some line of the file cannot be read */
	bool fresh;	/* no good record has followed the newest unreadable line yet */
	/*
	 * TIMEs of the last good record before the unreadable lines, and of the first one after
	 * them
	 */
	int64_t unread_from, unread_to;
};

static void maker_note_defect(struct maker *m)
{
	if (!m->defect)
		m->unread_from = m->records ? m->last : 0;
	m->defect = m->fresh = true;
}

static void maker_on_defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	struct maker *m = arg;
	(void)kind;
	(void)line;
	(void)what;
	maker_note_defect(m);
}

static struct index_run *maker_new_run(struct maker *m, struct str id)
{
	m->entry = vec_reserve(m->entry, &m->cap, m->n + 1, sizeof(*m->entry));
	/* estimated length of the run's line without its attributes */
	m->text_bytes += id.n + 80;
	struct index_run *e = &m->entry[m->n++];
	*e = (struct index_run){ .id = xstrdup(id), .first = INT64_MAX, .last = INT64_MIN };
	return e;
}

/* Returns the map entry of the newest run of the id, or NULL. */
static struct map_slot *maker_find_run(const struct maker *m, struct str id)
{
	struct map_slot *at = NULL;
	while ((at = map_next(&m->by_id, map_hash(id), at)))
		if (str_eq(id, str_of(m->entry[at->value.n].id)))
			return at;
	return NULL;
}

static struct index_run *maker_run_of(struct maker *m, struct str id)
{
	struct map_slot *at = maker_find_run(m, id);
	if (at)
		return &m->entry[at->value.n];
	map_add(&m->by_id, map_hash(id), (union map_value){ .n = m->n });
	return maker_new_run(m, id);
}

static void maker_note_named(struct maker *m, size_t run)
{
	struct index_named *now = &m->now;
	now->run = vec_reserve(now->run, &now->cap, now->n + 1, sizeof(*now->run));
	now->run[now->n++] = run;
}

/* Set .left of the runs that the previous record listed and this record does not list. */
static void maker_note_left(struct maker *m, int64_t usec)
{
	struct index_named named = m->before;
	for (size_t i = 0; i < named.n; i++) {
		struct index_run *e = &m->entry[named.run[i]];
		if (e->counted != m->records && !e->ended)
			e->left = usec > e->last ? usec : e->last;
	}
	named.n = 0;
	m->before = m->now;
	m->now = named;
}

/* Count a sample of a job. After the end mark of a run, samples do not extend the run. */
static struct index_run *maker_take_id(struct maker *m, struct str id, int64_t usec)
{
	/* the text of the index cannot represent such an id or time */
	if (str_has(id, '\0') || usec < 0)
		maker_note_defect(m);
	struct index_run *e = maker_run_of(m, id);
	bool over = e->ended && e->record != m->records;
	if (!over || e->first == INT64_MAX) {
		e->first = usec < e->first ? usec : e->first;
		e->last = usec > e->last ? usec : e->last;
	}
	if (e->counted != m->records)
		maker_note_named(m, (size_t)(e - m->entry));
	e->samples += e->counted != m->records;
	e->counted = m->records;
	e->left = 0;
	e->record = over ? e->record : m->records;
	return e;
}

/*
 * Handle a begin mark. It begins another run in two cases: the current run has an end mark; or its
 * end mark was lost, since the run has a begin mark, but the previous record does not list the job,
 * or the node was rebooted. If the current run has no begin mark yet, the mark belongs to this run,
 * which then begins here. The rules are those of figures/job.h.
 */
static void maker_take_begin(struct maker *m, struct str id, int64_t usec, bool booted)
{
	struct map_slot *at = maker_find_run(m, id);
	struct index_run *e = at ? &m->entry[at->value.n] : NULL;

	if (!e)
		return;
	if (e->ended || (e->begun && (booted || e->record + 1 < m->records))) {
		at->value.n = m->n;
		maker_new_run(m, id);
	} else if (!e->begun) {
		e->first = usec;
	}
}

static void maker_take_attribute(struct maker *m, struct index_run *e, struct str word)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		struct str value = word;
		char **to = &e->attribute[attributes[i].is];
		if (!str_take_prefix(&value, str_of(attributes[i].key)) ||
		    !str_take_prefix(&value, STR("=")) || value.n == 0 || str_has(value, '\0'))
			continue;
		free(*to);
		*to = xstrdup(value);
		m->text_bytes += value.n + 16;
	}
}

static bool maker_is_job_mark(const struct mark *mark)
{
	return mark->kind == MARK_BEGIN || mark->kind == MARK_END || mark->kind == MARK_ATTRIBUTES;
}

static void maker_take_mark(struct maker *m, const struct mark *mark, int64_t usec)
{
	struct str words = mark->rest, word;
	struct index_run *e = maker_take_id(m, mark->subject, usec);

	e->begun |= mark->kind == MARK_BEGIN;
	e->ended |= mark->kind == MARK_END;
	while (str_take_word(&words, &word))
		maker_take_attribute(m, e, word);
}

static void maker_take_record(struct maker *m, const struct record *r,
			      const struct record_source *source)
{
	bool booted = boot_take(&m->boot, r, source);

	m->records++;
	m->first = r->usec < m->first ? r->usec : m->first;
	m->last = r->usec > m->last ? r->usec : m->last;
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == MARK_BEGIN)
			maker_take_begin(m, r->mark[i].subject, r->usec, booted);
	for (size_t i = 0; i < r->n_jobs; i++)
		maker_take_id(m, r->job[i], r->usec);
	for (size_t i = 0; i < r->n_marks; i++) {
		/*
		 * an end mark of this record may have ended the run, so that a begin mark begins
		 * another
		 */
		if (r->mark[i].kind == MARK_BEGIN)
			maker_take_begin(m, r->mark[i].subject, r->usec, false);
		if (maker_is_job_mark(&r->mark[i]))
			maker_take_mark(m, &r->mark[i], r->usec);
	}
	maker_note_left(m, r->usec);
}

static int maker_read_records(struct maker *m, const struct byte_source *from)
{
	const struct record_listener listener = { maker_on_defect, m };
	struct record_source source = records_open(from, &listener);
	const struct record *r;
	int more = 0;
	while (m->text_bytes <= INDEX_MAX && (more = record_next(&source, &r)) > 0) {
		if (m->fresh)
			m->unread_to = r->usec;
		m->fresh = false;
		maker_take_record(m, r, &source);
	}
	record_source_end(&source);
	if (more < 0)
		maker_note_defect(m);
	if (m->text_bytes > INDEX_MAX)
		return -E2BIG;
	return m->defect || m->records == 0 ? -EBADMSG : 0;
}

static void maker_put_run(struct buf *text, const struct index_run *e)
{
	static const char *const key[ATTRIBUTES] = {
		[NODES] = "nodes", [ACCOUNT] = "account", [PARTITION] = "partition",
		[NAME] = "name", [EXIT] = "exit", [STATE] = "state",
	};

	buf_addf(text, "job %s %lld %lld %llu %s%s%s %s", e->id, (long long)e->first,
		 (long long)e->last, (unsigned long long)e->samples, e->begun ? "b" : "",
		 e->ended ? "e" : "", e->begun || e->ended ? "" : "-",
		 e->attribute[USER] ? e->attribute[USER] : "-");
	for (int i = NODES; i < ATTRIBUTES; i++)
		if (e->attribute[i])
			buf_addf(text, " %s=%s", key[i], e->attribute[i]);
	if (e->left && !e->ended)
		buf_addf(text, " left=%lld", (long long)e->left);
	buf_add_char(text, '\n');
}

static void maker_put_text(const struct maker *m, struct buf *text)
{
	buf_addf(text, "records %llu %lld %lld\n", (unsigned long long)m->records,
		 (long long)m->first, (long long)m->last);
	for (size_t i = 0; i < m->n; i++)
		maker_put_run(text, &m->entry[i]);
}

static void maker_put_unread(const struct maker *m, struct buf *text)
{
	buf_addf(text, "unread %lld", (long long)m->unread_from);
	if (!m->fresh && m->records)
		buf_addf(text, " %lld", (long long)m->unread_to);
	buf_add_char(text, '\n');
}

int index_make(const struct byte_source *from, struct buf *text)
{
	struct maker m = { .first = INT64_MAX, .last = INT64_MIN };
	int r = maker_read_records(&m, from);
	text->n = 0;
	maker_put_text(&m, text);
	if (r == -EBADMSG)
		maker_put_unread(&m, text);
	if (text->n > INDEX_MAX - LAST_LINE)
		r = -E2BIG;
	for (size_t i = 0; i < m.n; i++) {
		free(m.entry[i].id);
		for (int k = 0; k < ATTRIBUTES; k++)
			free(m.entry[i].attribute[k]);
	}
	free(m.entry);
	free(m.now.run);
	free(m.before.run);
	boot_end(&m.boot);
	map_free(&m.by_id);
	return r;
}

int index_append(int fd, const struct byte_source *from, uint64_t last, uint64_t *n)
{
	struct buf text CLEANUP(buf_free) = { 0 }, frame CLEANUP(buf_free) = { 0 };
	char tail[INDEX_TAIL];
	off_t size = lseek(fd, 0, SEEK_CUR);

	*n = 0;
	if (index_make(from, &text) < 0)
		return 0;
	if (last)
		buf_addf(&text, "last %llu\n", (unsigned long long)last);
	if (size < INDEX_TAIL || pread(fd, tail, sizeof(tail), size - INDEX_TAIL) != INDEX_TAIL)
		return -EIO;
	index_put_frame(&frame, buf_str(&text), (uint64_t)size, tail);
	*n = frame.n;
	return files_write(fd, buf_str(&frame));
}
