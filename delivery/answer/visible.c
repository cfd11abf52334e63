/* SPDX-License-Identifier: BSD-3-Clause */
/* visible.c - the records of one host that the asker may see: those of runs of their own */
#include "answer/visible.h"

#include <stdlib.h>
#include "base/vec.h"
#include "schema/type.h"

static bool is_of(const struct own_run *run, struct str id)
{
	return str_eq(buf_str(&run->id), id);
}

/* The newest open run of an id, or NULL. */
static struct own_run *find(const struct visible *o, struct str id)
{
	for (size_t i = o->n; i-- > 0; )
		if (is_of(&o->open[i], id))
			return &o->open[i];
	return NULL;
}

/* Two runs of an id that begin at one moment are both shown, or none is. */
static bool was_shown(const struct visible *o, struct str id, int64_t begun)
{
	bool any = false, all = true;
	for (struct map_slot *at = NULL; (at = map_next(&o->by_id, map_hash(id), at)); ) {
		const struct own_known *k = &o->known[at->value.n];
		if (k->begun != begun || !str_eq(buf_str(&k->id), id))
			continue;
		any = true;
		all &= k->shown;
	}
	return any && all;
}

static struct own_run *open_run(struct visible *o, struct str id, int64_t usec)
{
	o->open = vec_reserve(o->open, &o->cap, o->n + 1, sizeof(*o->open));
	struct own_run *run = &o->open[o->n++];
	*run = (struct own_run){ .begun = usec, .first = usec, .last = usec, .fresh = true,
				 .seen = o->record };
	buf_add(&run->id, id);
	run->is = o->asker->all ? THE_ASKERS : NOT_SAID;
	run->shown = o->again && was_shown(o, id, usec);
	return run;
}

static bool is_wanted(const struct visible *o, const struct own_run *run)
{
	const struct answer_request *q = o->wanted;
	return run->last >= q->since && run->first <= q->until &&
	       (q->job.n == 0 || is_of(run, q->job));
}

static void keep(struct visible *o, struct own_run *run)
{
	bool shown = run->is == THE_ASKERS && is_wanted(o, run);
	o->any |= shown;
	map_add(&o->by_id, map_hash(buf_str(&run->id)), (union map_value){ .n = o->n_known });
	o->known = vec_reserve(o->known, &o->cap_known, o->n_known + 1, sizeof(*o->known));
	o->known[o->n_known++] = (struct own_known){ run->id, run->begun, shown };
}

static void close_run(struct visible *o, struct own_run *run)
{
	if (o->again)
		buf_free(&run->id);
	else
		keep(o, run);
}

void visible_gap(struct visible *o)
{
	for (size_t i = 0; i < o->n; i++)
		close_run(o, &o->open[i]);
	o->n = 0;
}

void visible_file(struct visible *o)
{
	raw_copy_source(&o->copy);
}

bool visible_turn(struct visible *o)
{
	visible_gap(o);
	o->again = true;
	o->record = 0;
	o->host.n = 0;
	return o->any;
}

static bool is_uid(struct str word, uid_t uid)
{
	uint64_t v;
	return str_is_u64(word) && str_take_u64(&word, &v) && v == uid;
}

/* Whose run the mark says it is, twice where it has a number and a name: both must be right. */
static void judge(const struct visible *o, struct own_run *run, struct str words)
{
	const struct asker *a = o->asker;
	struct str word;
	while (!a->all && str_take_word(&words, &word)) {
		bool is;
		if (str_take_prefix(&word, STR("uid=")))
			is = is_uid(word, a->uid);
		else if (str_take_prefix(&word, STR("user=")))
			is = a->user.n && str_eq(word, a->user);
		else
			continue;
		run->is = is && run->is != ANOTHERS ? THE_ASKERS : ANOTHERS;
	}
}

/* Of a run that is met without its begin, nothing says whose it is. */
static struct own_run *meet(struct visible *o, struct str id, int64_t usec)
{
	struct own_run *run = open_run(o, id, o->asker->all ? usec : INT64_MIN);
	run->fresh = false;
	run->is = o->asker->all ? THE_ASKERS : ANOTHERS;
	return run;
}

/*
 * A begin mark begins a run, whatever the one before was: without a mark in this record that was
 * over before it. A second begin mark in the record does not.
 */
static struct own_run *begin(struct visible *o, struct own_run *before, struct str id, int64_t usec)
{
	if (before && before->fresh)
		return before;
	if (before)
		before->past = before->marked != o->record;
	return open_run(o, id, usec);
}

static bool is_of_job(const struct mark *m)
{
	return m->kind != MARK_OTHER && m->kind != MARK_RESTART && m->kind != MARK_KINDS;
}

static void take_mark(struct visible *o, const struct mark *m, int64_t usec)
{
	struct own_run *run = find(o, m->subject);
	if (!is_of_job(m))
		return;
	if (m->kind == MARK_BEGIN)
		run = begin(o, run, m->subject, usec);
	else if (!run)
		run = meet(o, m->subject, usec);
	run->marked = run->seen = o->record;
	run->over |= m->kind == MARK_END;
	if ((m->kind == MARK_BEGIN || m->kind == MARK_ATTRIBUTES) && run->begun != INT64_MIN)
		judge(o, run, m->rest);
}

static void take_job(struct visible *o, struct str id, int64_t usec)
{
	bool any = false;
	for (size_t i = 0; i < o->n; i++)
		if (is_of(&o->open[i], id) && !o->open[i].past) {
			o->open[i].seen = o->record;
			any = true;
		}
	if (!any && o->asker->all)
		meet(o, id, usec);
}

static void see(struct own_run *run, int64_t usec)
{
	run->first = usec < run->first ? usec : run->first;
	run->last = usec > run->last ? usec : run->last;
}

static void take(struct visible *o, const struct record_source *from, const struct record *r)
{
	struct str host = record_host(from, r);
	if (!str_eq(host, buf_str(&o->host))) {
		visible_gap(o);
		o->host.n = 0;
		buf_add(&o->host, host);
	}
	o->record++;
	for (size_t i = 0; i < r->n_marks; i++)
		take_mark(o, &r->mark[i], r->usec);
	for (size_t i = 0; i < r->n_jobs; i++)
		take_job(o, r->job[i], r->usec);
	for (size_t i = 0; i < o->n; i++)
		if (o->open[i].seen == o->record)
			see(&o->open[i], r->usec);
}

/* A run that the record does not name is over; so is one before the begin of the next. */
static bool goes_on(const struct visible *o, const struct own_run *run)
{
	return run->seen == o->record && !run->over && run == find(o, buf_str(&run->id));
}

static void settle(struct visible *o)
{
	size_t n = 0;
	for (size_t i = 0; i < o->n; i++)
		o->open[i].over = !goes_on(o, &o->open[i]);
	for (size_t i = 0; i < o->n; i++) {
		struct own_run *run = &o->open[i];
		run->fresh = false;
		if (run->over)
			close_run(o, run);
		else
			o->open[n++] = *run;
	}
	o->n = n;
}

void visible_look(struct visible *o, const struct record_source *from, const struct record *r)
{
	take(o, from, r);
	settle(o);
}

static bool is_shown(const struct own_run *run)
{
	return run->shown && run->is != ANOTHERS;
}

/* Of the runs of this id in the record, one after the other where it was begun again. */
enum which { SOME, ALL, ALL_ENDED };
static bool are_shown(const struct visible *o, struct str id, enum which which)
{
	bool some = false, all = true;
	for (size_t i = 0; i < o->n; i++) {
		const struct own_run *run = &o->open[i];
		if (run->seen != o->record || !is_of(run, id) ||
		    (which == ALL_ENDED && !run->over))
			continue;
		some |= is_shown(run);
		all &= is_shown(run);
	}
	return which == SOME ? some : some && all;
}

/* Jobs of the asker, if there are any, and one more in place of all others. */
static size_t put_jobs(struct visible *o, const struct record *r)
{
	size_t n = 0;
	o->job = vec_reserve(o->job, &o->cap_job, r->n_jobs + 1, sizeof(*o->job));
	for (size_t i = 0; i < r->n_jobs; i++)
		if (are_shown(o, r->job[i], SOME))
			o->job[n++] = r->job[i];
	if (n > 0 && o->asker->all) {
		memcpy(o->job, r->job, r->n_jobs * sizeof(*o->job));
		return r->n_jobs;
	}
	if (n > 0 && n < r->n_jobs)
		o->job[n++] = STR(ANSWER_OTHERS);
	return n;
}

static bool mark_is_shown(const struct visible *o, const struct mark *m)
{
	const struct own_run *run;
	if (o->asker->all)
		return true;
	switch (m->kind) {
	case MARK_RESTART:
		return true;
	case MARK_OTHER:
	case MARK_KINDS:
		return false;
	case MARK_BEGIN:
		run = find(o, m->subject);
		return run && is_shown(run);
	default:
		return are_shown(o, m->subject, m->kind == MARK_END ? ALL_ENDED : ALL);
	}
}

/* "by=JOB" of an end mark is the id of another's job: the text without it. */
static struct str without_other(struct buf *b, struct str text)
{
	size_t from = b->n;
	struct str word;
	while (str_take_word(&text, &word))
		if (!str_starts(word, STR("by=")))
			buf_addf(b, "%s" STR_FMT, b->n > from ? " " : "", STR_ARG(word));
	return str_skip(buf_str(b), from);
}

static size_t put_marks(struct visible *o, const struct record *r)
{
	size_t n = 0, bytes = 0;
	o->mark = vec_reserve(o->mark, &o->cap_mark, r->n_marks + 1, sizeof(*o->mark));
	for (size_t i = 0; i < r->n_marks; i++)
		bytes += r->mark[i].text.n + 1;
	o->text.n = 0;
	buf_reserve(&o->text, bytes);	/* so that marks may borrow from it */
	for (size_t i = 0; i < r->n_marks; i++) {
		struct mark m = r->mark[i];
		if (m.kind == MARK_END && !o->asker->all)
			m.text = without_other(&o->text, m.text);
		if (mark_is_shown(o, &r->mark[i]))
			o->mark[n++] = m;
		else
			o->marks_out++;
	}
	return n;
}

/* Whose a row of these types is: of a job that the device names, or of a user that a key has. */
static const struct owned {
	const char *type;
	enum { BY_JOB, BY_PART_OF_JOB, BY_USER } by;
	const char *key;
} owned[] = {
	{ "job",        BY_JOB,         NULL  },
	{ "gpu_job",    BY_PART_OF_JOB, NULL  },	/* GPU@JOB; all of the GPU without it */
	{ "proc",       BY_USER,        "Uid" },
	{ "host_proc",  BY_USER,        "Uid" },
	{ "process",    BY_USER,        "uid" },
	{ "process_io", BY_USER,        "uid" },	/* which it lacks */
};

static const struct owned *find_owned(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(owned); i++)
		if (strcmp(owned[i].type, type) == 0)
			return &owned[i];
	return NULL;
}

/* Devices are ids as rows have them, with escapes. */
static bool is_shown_job(const struct visible *o, const struct record *r, struct str device)
{
	struct buf word CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < r->n_jobs; i++) {
		word.n = 0;
		buf_add_word(&word, r->job[i], false);
		if (str_eq(buf_str(&word), device))
			return are_shown(o, r->job[i], ALL);
	}
	return false;
}

static bool row_is_shown(const struct visible *o, const struct record *r, const struct owned *by,
			 const struct record_type *type, const struct record_row *row)
{
	struct str job = row->device, head;
	int key;
	if (!by)
		return true;
	switch (by->by) {
	case BY_PART_OF_JOB:
		return !str_take_until(&job, '@', &head) || is_shown_job(o, r, job);
	case BY_USER:
		key = record_key_find(type, by->key);
		return key >= 0 && row_has(row, (size_t)key) &&
		       row->value[key] == o->asker->uid;
	default:
		return is_shown_job(o, r, job);
	}
}

/* Types that are not known may have users as devices; pmc_* are a site's own counters. */
static bool type_is_shown(const struct visible *o, const char *name)
{
	return o->asker->all || find_owned(name) || type_find(name) ||
	       str_starts(str_of(name), STR("pmc_"));
}

static size_t put_rows(struct visible *o, const struct record *r, const struct record_rows *from,
		       struct record_row *to)
{
	const char *name = from->type->name;
	const struct owned *by = o->asker->all ? NULL : find_owned(name);
	bool own_cost = strcmp(name, "nodometer") == 0;
	size_t n = 0;
	if (!type_is_shown(o, name)) {
		o->rows_out += from->n;
		return 0;
	}
	for (size_t i = 0; i < from->n; i++) {
		bool kept = own_cost && i + 1 == from->n;
		if (!kept && !o->wanted->rows)
			continue;
		if (row_is_shown(o, r, by, from->type, &from->row[i]))
			to[n++] = from->row[i];
		else
			o->rows_out++;
	}
	return n;
}

/* The last row of nodometer's own records counts them: it gets the number of those that are put. */
static void count_rows(struct visible *o, struct record *r)
{
	const struct record_type *type;
	struct record_row *last = (struct record_row *)record_own_row(r, &type);
	int key = last ? record_key_find(type, "rows") : -1;
	if (key < 0)
		return;
	o->own_value = vec_reserve(o->own_value, &o->cap_value, type->n_keys,
				   sizeof(*o->own_value));
	memcpy(o->own_value, last->value, type->n_keys * sizeof(*o->own_value));
	o->own_value[key] = r->n_rows;
	last->value = o->own_value;
	last->real = NULL;
}

static void put_types(struct visible *o, const struct record *r, struct record *to)
{
	o->rows = vec_reserve(o->rows, &o->cap_rows, r->n_types + 1, sizeof(*o->rows));
	o->row = vec_reserve(o->row, &o->cap_row, r->n_rows + 1, sizeof(*o->row));
	to->n_types = to->n_rows = 0;
	for (size_t i = 0; i < r->n_types; i++) {
		struct record_row *at = o->row + to->n_rows;
		size_t n = put_rows(o, r, &r->rows[i], at);
		if (n)
			o->rows[to->n_types++] = (struct record_rows){ r->rows[i].type, at, n };
		to->n_rows += n;
	}
	to->rows = o->rows;
	count_rows(o, to);
}

void visible_put(struct visible *o, const struct record_source *from, const struct record *r,
		 struct buf *out)
{
	struct record to = *r;

	take(o, from, r);
	to.n_jobs = put_jobs(o, r);
	if (to.n_jobs > 0) {
		to.job = o->job;
		to.n_marks = put_marks(o, r);
		to.mark = o->mark;
		put_types(o, r, &to);
		raw_copy_put(&o->copy, from, &to, out);
	}
	settle(o);
}

void visible_free(struct visible *o)
{
	o->again = true;
	visible_gap(o);
	for (size_t i = 0; i < o->n_known; i++)
		buf_free(&o->known[i].id);
	free(o->open);
	free(o->known);
	map_free(&o->by_id);
	buf_free(&o->host);
	raw_copy_free(&o->copy);
	buf_free(&o->text);
	free(o->row);
	free(o->rows);
	free(o->mark);
	free(o->job);
	free(o->own_value);
}
