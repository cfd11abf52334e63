/* SPDX-License-Identifier: BSD-3-Clause */
/* visible.c - select the records of one host that a user may see: records of the user's runs */
#include "answer/visible.h"

#include <stdlib.h>
#include "base/vec.h"
#include "schema/type.h"

static bool visible_run_has_id(const struct visible_run *run, struct str id)
{
	return str_eq(buf_str(&run->id), id);
}

/* Find the newest open run of an id. Returns NULL if there is none. */
static struct visible_run *visible_find_open(const struct visible *o, struct str id)
{
	for (size_t i = o->n; i-- > 0; )
		if (visible_run_has_id(&o->open[i], id))
			return &o->open[i];
	return NULL;
}

/*
 * Find the run with this id that, in the first pass, began at the current place. Returns NULL if
 * there is none.
 */
static const struct known_run *visible_find_known(const struct visible *o, struct str id,
						  int64_t begun)
{
	const struct run_place *here = &o->place;
	for (struct map_slot *at = NULL; (at = map_next(&o->by_id, map_hash(id), at)); ) {
		const struct known_run *k = &o->known[at->value.n];
		if (k->begun == begun && k->place.file == here->file &&
		    k->place.record == here->record && k->place.nth == here->nth &&
		    str_eq(buf_str(&k->id), id))
			return k;
	}
	return NULL;
}

static struct visible_run *visible_open_run(struct visible *o, struct str id, int64_t usec)
{
	o->open = vec_reserve(o->open, &o->cap, o->n + 1, sizeof(*o->open));
	struct visible_run *run = &o->open[o->n++];
	const struct known_run *known = o->second_pass ? visible_find_known(o, id, usec) : NULL;
	*run = (struct visible_run){ .begun = usec, .first = usec, .last = usec,
				     .begins_here = true,
				 .place = o->place, .seen = o->record };
	buf_add(&run->id, id);
	run->owner = o->asker->all ? OWNER_ASKER : OWNER_UNKNOWN;
	run->shown = known && known->shown;
	run->until = known ? known->until : INT64_MAX;
	o->place.nth++;
	return run;
}

static bool visible_is_requested(const struct visible *o, const struct visible_run *run)
{
	const struct answer_request *q = o->wanted;
	return run->last >= q->since && run->first <= q->until &&
	       (q->job.n == 0 || visible_run_has_id(run, q->job));
}

static void visible_keep_run(struct visible *o, struct visible_run *run)
{
	bool shown = run->owner == OWNER_ASKER && visible_is_requested(o, run);
	o->any |= shown;
	map_add(&o->by_id, map_hash(buf_str(&run->id)), (union map_value){ .n = o->n_known });
	o->known = vec_reserve(o->known, &o->cap_known, o->n_known + 1, sizeof(*o->known));
	o->known[o->n_known++] = (struct known_run){ run->id, run->place, run->begun,
						    run->until, shown };
}

static void visible_close_run(struct visible *o, struct visible_run *run)
{
	if (o->second_pass)
		buf_free(&run->id);
	else
		visible_keep_run(o, run);
}

void visible_gap(struct visible *o)
{
	for (size_t i = 0; i < o->n; i++)
		visible_close_run(o, &o->open[i]);
	o->n = 0;
}

void visible_file(struct visible *o, uint64_t number)
{
	o->place = (struct run_place){ .file = number };
	raw_copy_source(&o->copy);
}

bool visible_turn(struct visible *o)
{
	visible_gap(o);
	o->second_pass = true;
	o->record = 0;
	o->host.n = 0;
	return o->any;
}

static bool visible_is_uid(struct str word, uid_t uid)
{
	uint64_t v;
	return str_is_u64(word) && str_take_u64(&word, &v) && v == uid;
}

/* Return true if a word of a mark equals the name, once the escapes in the word are decoded. */
static bool visible_word_matches(struct str word, struct str name)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add_unescaped(&b, word);
	return str_eq(buf_str(&b), name);
}

/*
 * Compare the user that a mark names with the asker. If a mark has a uid and a name, both must
 * match.
 */
static enum owner visible_mark_owner(const struct visible *o, struct str words)
{
	const struct asker *a = o->asker;
	enum owner owner = OWNER_UNKNOWN;
	struct str word;
	while (!a->all && str_take_word(&words, &word)) {
		bool is;
		if (str_take_prefix(&word, STR("uid=")))
			is = visible_is_uid(word, a->uid);
		else if (str_take_prefix(&word, STR("user=")))
			is = a->user.n && visible_word_matches(word, a->user);
		else
			continue;
		owner = is && owner != OWNER_OTHER ? OWNER_ASKER : OWNER_OTHER;
	}
	return owner;
}

static void visible_set_owner(struct visible_run *run, enum owner owner)
{
	if (owner != OWNER_UNKNOWN)
		run->owner = owner == OWNER_ASKER && run->owner != OWNER_OTHER ?
			     OWNER_ASKER : OWNER_OTHER;
}

/*
 * Return the end time that an end mark states in at=, because its hook wrote the mark late; or
 * INT64_MAX if the mark has no at=.
 */
static int64_t visible_end_time(struct str words)
{
	struct str word;
	int64_t at;
	while (str_take_word(&words, &word))
		if (str_take_prefix(&word, STR("at=")) && str_take_time(&word, &at) && !word.n)
			return at;
	return INT64_MAX;
}

/*
 * Open a run whose begin mark was not read. Its owner is unknown: show the run only to an asker who
 * may see all runs.
 */
static struct visible_run *visible_open_unknown(struct visible *o, struct str id, int64_t usec)
{
	struct visible_run *run = visible_open_run(o, id, o->asker->all ? usec : INT64_MIN);
	run->begins_here = false;
	run->owner = o->asker->all ? OWNER_ASKER : OWNER_OTHER;
	return run;
}

/*
 * Handle a begin mark. The mark starts a new run, even if the earlier run with the same id
 * (`before`) has no end mark. If this record has no mark of the earlier run, that run was over
 * before the record. A second begin mark in a record belongs to the same run, unless the run has
 * already ended in the record, or one mark names the asker and the other mark names another user.
 */
static struct visible_run *visible_begin_run(struct visible *o, struct visible_run *before,
					 const struct mark *m,
					 int64_t usec)
{
	enum owner owner = visible_mark_owner(o, m->rest);
	bool differs = before && before->owner != OWNER_UNKNOWN && owner != OWNER_UNKNOWN &&
		       before->owner != owner;
	if (before && before->begins_here && !before->ends_here && !differs)
		return before;
	if (before)
		before->was_over = before->marked != o->record;
	return visible_open_run(o, m->subject, usec);
}

static bool visible_mark_is_of_job(const struct mark *m)
{
	return m->kind != MARK_OTHER && m->kind != MARK_RESTART && m->kind != MARK_KINDS;
}

static void visible_end_run(const struct visible *o, struct visible_run *run, struct str words)
{
	int64_t at = visible_end_time(words);
	run->ends_here = true;
	if (!o->second_pass && !o->asker->all && at >= run->begun)
		run->until = at;
}

/*
 * Handle a mark. Returns 1 + the index of the mark's run in o->open, or 0 if the mark has no run.
 */
static size_t visible_handle_mark(struct visible *o, const struct mark *m, int64_t usec)
{
	if (!visible_mark_is_of_job(m))
		return 0;
	struct visible_run *run = visible_find_open(o, m->subject);
	if (m->kind == MARK_BEGIN)
		run = visible_begin_run(o, run, m, usec);
	else if (!run)
		run = visible_open_unknown(o, m->subject, usec);
	run->marked = run->seen = o->record;
	if (m->kind == MARK_END)
		visible_end_run(o, run, m->rest);
	if ((m->kind == MARK_BEGIN || m->kind == MARK_ATTRIBUTES) && run->begun != INT64_MIN)
		visible_set_owner(run, visible_mark_owner(o, m->rest));
	return (size_t)(run - o->open) + 1;
}

static void visible_handle_job(struct visible *o, struct str id, int64_t usec)
{
	bool any = false;
	for (size_t i = 0; i < o->n; i++)
		if (visible_run_has_id(&o->open[i], id) && !o->open[i].was_over) {
			o->open[i].seen = o->record;
			any = true;
		}
	if (!any && o->asker->all)
		visible_open_unknown(o, id, usec);
}

static void visible_extend_run(struct visible_run *run, int64_t usec)
{
	run->first = usec < run->first ? usec : run->first;
	run->last = usec > run->last ? usec : run->last;
}

static void visible_handle_record(struct visible *o, const struct record_source *from,
				  const struct record *r)
{
	struct str host = record_host(from, r);
	if (!str_eq(host, buf_str(&o->host))) {
		visible_gap(o);
		o->host.n = 0;
		buf_add(&o->host, host);
	}
	o->record++;
	o->usec = r->usec;
	o->place.record++;
	o->place.nth = 0;
	o->run_of = vec_reserve(o->run_of, &o->cap_run_of, r->n_marks + 1, sizeof(*o->run_of));
	for (size_t i = 0; i < r->n_marks; i++)
		o->run_of[i] = visible_handle_mark(o, &r->mark[i], r->usec);
	for (size_t i = 0; i < r->n_jobs; i++)
		visible_handle_job(o, r->job[i], r->usec);
	for (size_t i = 0; i < o->n; i++)
		if (o->open[i].seen == o->record)
			visible_extend_run(&o->open[i], r->usec);
}

/*
 * Return true if the run continues after this record: the record names it, and no newer run of the
 * same id has started.
 */
static bool visible_run_continues(const struct visible *o, const struct visible_run *run)
{
	return run->seen == o->record && !run->ends_here && run == visible_find_open(o,
										buf_str(&run->id));
}

static void visible_close_ended(struct visible *o)
{
	size_t n = 0;
	for (size_t i = 0; i < o->n; i++)
		o->open[i].ends_here = !visible_run_continues(o, &o->open[i]);
	for (size_t i = 0; i < o->n; i++) {
		struct visible_run *run = &o->open[i];
		run->begins_here = false;
		if (run->ends_here)
			visible_close_run(o, run);
		else
			o->open[n++] = *run;
	}
	o->n = n;
}

void visible_look(struct visible *o, const struct record_source *from, const struct record *r)
{
	visible_handle_record(o, from, r);
	visible_close_ended(o);
}

/*
 * Return true if the run had not ended at the time of the current record. If the time is in whole
 * seconds, as in old formats, the record may be from the end of its second.
 */
static bool visible_run_is_running(const struct visible *o, const struct visible_run *run)
{
	int64_t latest = o->usec % 1000000 ? o->usec : o->usec + 999999;
	return latest <= run->until;
}

/*
 * Return true if the run is shown in the current record. A late end mark is shown, too, although
 * its record is later than the end of the run.
 */
static bool visible_run_is_shown(const struct visible *o, const struct visible_run *run)
{
	return run->shown && run->owner != OWNER_OTHER && (run->ends_here ||
							   visible_run_is_running(o, run));
}

/*
 * How many runs must be shown if a record has several runs with the same id, because the id was
 * used again. SOME: at least one; ALL: all of them; ALL_RUNNING: all of them, and none may have
 * ended.
 */
enum which { SOME, ALL, ALL_RUNNING };
static bool visible_runs_are_shown(const struct visible *o, struct str id, enum which which)
{
	bool some = false, all = true;
	for (size_t i = 0; i < o->n; i++) {
		const struct visible_run *run = &o->open[i];
		if (run->seen != o->record || !visible_run_has_id(run, id))
			continue;
		bool shown = visible_run_is_shown(o, run) && (which != ALL_RUNNING ||
							      visible_run_is_running(o, run));
		some |= shown;
		all &= shown;
	}
	return which == SOME ? some : some && all;
}

/*
 * Copy the ids of the jobs that are shown to o->job, and one placeholder for all other jobs.
 * Returns the number of ids, or 0 if no job is shown.
 */
static size_t visible_put_jobs(struct visible *o, const struct record *r)
{
	size_t n = 0;
	o->job = vec_reserve(o->job, &o->cap_job, r->n_jobs + 1, sizeof(*o->job));
	for (size_t i = 0; i < r->n_jobs; i++)
		if (visible_runs_are_shown(o, r->job[i], SOME))
			o->job[n++] = r->job[i];
	if (n > 0 && o->asker->all) {
		memcpy(o->job, r->job, r->n_jobs * sizeof(*o->job));
		return r->n_jobs;
	}
	if (n > 0 && n < r->n_jobs)
		o->job[n++] = STR(ANSWER_OTHERS);
	return n;
}

static bool visible_mark_is_shown(const struct visible *o, const struct mark *m, size_t run)
{
	if (o->asker->all)
		return true;
	switch (m->kind) {
	case MARK_RESTART:
		return true;
	case MARK_OTHER:
	case MARK_KINDS:
		return false;
	case MARK_BEGIN:
	case MARK_END:
		return run && visible_run_is_shown(o, &o->open[run - 1]);
	default:
		return visible_runs_are_shown(o, m->subject, ALL);
	}
}

/* Return the text of an end mark without its words "by=JOB", which name another user's job. */
static struct str visible_strip_other_job(struct buf *b, struct str text)
{
	size_t from = b->n;
	struct str word;
	while (str_take_word(&text, &word))
		if (!str_starts(word, STR("by=")))
			buf_addf(b, "%s" STR_FMT, b->n > from ? " " : "", STR_ARG(word));
	return str_skip(buf_str(b), from);
}

static size_t visible_put_marks(struct visible *o, const struct record *r)
{
	size_t n = 0, bytes = 0;
	o->mark = vec_reserve(o->mark, &o->cap_mark, r->n_marks + 1, sizeof(*o->mark));
	for (size_t i = 0; i < r->n_marks; i++)
		bytes += r->mark[i].text.n + 1;
	o->text.n = 0;
	/* reserve the bytes now, because marks borrow from the buffer */
	buf_reserve(&o->text, bytes);
	for (size_t i = 0; i < r->n_marks; i++) {
		struct mark m = r->mark[i];
		if (m.kind == MARK_END && !o->asker->all)
			m.text = visible_strip_other_job(&o->text, m.text);
		if (visible_mark_is_shown(o, &r->mark[i], o->run_of[i]))
			o->mark[n++] = m;
		else
			o->marks_out++;
	}
	return n;
}

/*
 * Types whose rows have an owner: the job that the device names, or the user whose uid is the value
 * of a key.
 */
static const struct row_owner {
	const char *type;
	enum { BY_JOB, BY_PART_OF_JOB, BY_USER } by;
	const char *key;
} row_owners[] = {
	{ "job",        BY_JOB,         NULL  },
	/* device GPU@JOB is a job's share of a GPU; device GPU is the total, which has no owner */
	{ "gpu_job",    BY_PART_OF_JOB, NULL  },
	{ "proc",       BY_USER,        "Uid" },
	{ "host_proc",  BY_USER,        "Uid" },
	{ "process",    BY_USER,        "uid" },
	/* rows of type process_io have no key "uid", so no row is shown */
	{ "process_io", BY_USER,        "uid" },
};

static const struct row_owner *visible_find_owned(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(row_owners); i++)
		if (strcmp(row_owners[i].type, type) == 0)
			return &row_owners[i];
	return NULL;
}

/* Return true if the device names a job that is shown. The device is a job id with escapes. */
static bool visible_device_is_shown(const struct visible *o, const struct record *r,
				    struct str device)
{
	struct buf word CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < r->n_jobs; i++) {
		word.n = 0;
		buf_add_word(&word, r->job[i], false);
		if (str_eq(buf_str(&word), device))
			return visible_runs_are_shown(o, r->job[i], ALL_RUNNING);
	}
	return false;
}

static bool visible_row_is_shown(const struct visible *o, const struct record *r,
				 const struct row_owner *by,
				 const struct record_type *type, const struct record_row *row)
{
	struct str job = row->device, head;
	int key;
	if (!by)
		return true;
	switch (by->by) {
	case BY_PART_OF_JOB:
		return !str_take_until(&job, '@', &head) || visible_device_is_shown(o, r, job);
	case BY_USER:
		key = record_key_find(type, by->key);
		return key >= 0 && row_has(row, (size_t)key) &&
		       row->value[key] == o->asker->uid;
	default:
		return visible_device_is_shown(o, r, job);
	}
}

/*
 * Return true if rows of the type may be shown. Rows of an unknown type may not, because their
 * device names may be names of users. The types pmc_* are counters that the site has defined.
 */
static bool visible_type_is_shown(const struct visible *o, const char *name)
{
	return o->asker->all || visible_find_owned(name) || type_find(name) ||
	       str_starts(str_of(name), STR("pmc_"));
}

static size_t visible_put_rows(struct visible *o, const struct record *r,
			       const struct record_rows *from,
			       struct record_row *to)
{
	const char *name = from->type->name;
	const struct row_owner *by = o->asker->all ? NULL : visible_find_owned(name);
	bool own_cost = strcmp(name, "nodometer") == 0;
	size_t n = 0;
	if (!visible_type_is_shown(o, name)) {
		o->rows_out += from->n;
		return 0;
	}
	for (size_t i = 0; i < from->n; i++) {
		bool kept = own_cost && i + 1 == from->n;
		if (!kept && !o->wanted->rows)
			continue;
		if (visible_row_is_shown(o, r, by, from->type, &from->row[i]))
			to[n++] = from->row[i];
		else
			o->rows_out++;
	}
	return n;
}

/*
 * Correct the row of type nodometer after rows were left out: its key "rows" must be the number of
 * rows left in the record.
 */
static void visible_set_row_count(struct visible *o, struct record *r)
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

static void visible_put_types(struct visible *o, const struct record *r, struct record *to)
{
	o->rows = vec_reserve(o->rows, &o->cap_rows, r->n_types + 1, sizeof(*o->rows));
	o->row = vec_reserve(o->row, &o->cap_row, r->n_rows + 1, sizeof(*o->row));
	to->n_types = to->n_rows = 0;
	for (size_t i = 0; i < r->n_types; i++) {
		struct record_row *at = o->row + to->n_rows;
		size_t n = visible_put_rows(o, r, &r->rows[i], at);
		if (n)
			o->rows[to->n_types++] = (struct record_rows){ r->rows[i].type, at, n };
		to->n_rows += n;
	}
	to->rows = o->rows;
	visible_set_row_count(o, to);
}

void visible_put(struct visible *o, const struct record_source *from, const struct record *r,
		 struct buf *out)
{
	struct record to = *r;

	visible_handle_record(o, from, r);
	to.n_jobs = visible_put_jobs(o, r);
	if (to.n_jobs > 0) {
		to.job = o->job;
		to.n_marks = visible_put_marks(o, r);
		to.mark = o->mark;
		visible_put_types(o, r, &to);
		raw_copy_put(&o->copy, from, &to, out);
	}
	visible_close_ended(o);
}

void visible_free(struct visible *o)
{
	o->second_pass = true;
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
	free(o->run_of);
	free(o->job);
	free(o->own_value);
}
