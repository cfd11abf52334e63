/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - decide which samples of a node belong to a job */
#include "figures/job.h"

#include "base/utf8.h"

static const struct mark *job_find_mark(const struct record *r, enum mark_kind kind, struct str job)
{
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == kind && str_eq(r->mark[i].subject, job))
			return &r->mark[i];
	return NULL;
}

static unsigned job_open_run(struct job_watch *w, bool begun)
{
	w->state = JOB_HERE;
	w->known = true;
	w->begun = begun;
	return JOB_OPEN | JOB_TAKE;
}

/*
 * Return the actions for a sample while a run is open (JOB_HERE or JOB_LEFT). named: the sample
 * belongs to the job.
 */
static unsigned job_continue_run(struct job_watch *w, bool begins, bool named, bool booted)
{
	if (begins && w->begun && (w->state == JOB_LEFT || booted))
		/* the scheduler has started the job again */
		return JOB_CLOSE_LOST | job_open_run(w, true);
	if (begins && !w->begun)
		return JOB_DROP | job_open_run(w, true);
	w->state = named ? JOB_HERE : JOB_LEFT;
	return named ? JOB_TAKE : 0;
}

/* Return the index of the job's next begin mark after its end mark, or n_marks if there is none. */
static size_t job_find_next_begin(const struct record *r, struct str job)
{
	const struct mark *end = job_find_mark(r, MARK_END, job);
	size_t i = end ? (size_t)(end - r->mark) : r->n_marks;
	while (i < r->n_marks &&
	       !(r->mark[i].kind == MARK_BEGIN && str_eq(r->mark[i].subject, job)))
		i++;
	return i;
}

struct record job_reopen(struct job_watch *w, const struct record *r)
{
	struct record part = *r;
	size_t begin = job_find_next_begin(r, w->job);
	part.mark += begin;
	part.n_marks -= begin;
	job_open_run(w, true);
	return part;
}

/*
 * Handle a record that ends one run of the job and begins the next: close the run. If no earlier
 * sample belonged to this run, open it first.
 */
static unsigned job_close_and_reopen(struct job_watch *w)
{
	unsigned what = w->state != JOB_AWAY ? JOB_TAKE : job_open_run(w, false);
	w->state = JOB_AWAY;
	return what | JOB_CLOSE | JOB_REOPEN;
}

unsigned job_watch_record(struct job_watch *w, const struct record *r, bool booted)
{
	if (w->any)
		return w->state != JOB_AWAY ? JOB_TAKE : job_open_run(w, false);

	bool again = job_find_next_begin(r, w->job) < r->n_marks;
	bool begins = job_find_mark(r, MARK_BEGIN, w->job);
	bool ends = job_find_mark(r, MARK_END, w->job) && !again;
	bool named = begins || ends || record_has_job(r, w->job);
	unsigned what = 0;

	/*
	 * if JOB_AWAY after an earlier run, the end mark belongs to that run, which is closed
	 * already
	 */
	if (again && (w->state != JOB_AWAY || !w->known))
		return job_close_and_reopen(w);
	if (w->state != JOB_AWAY)
		what = job_continue_run(w, begins, named, booted);
	else if (begins || (named && !w->known))
		what = job_open_run(w, begins);
	if (ends && what) {
		w->state = JOB_AWAY;
		what |= JOB_CLOSE;
	}
	return what;
}

bool job_ends_by_later(const struct record *r, struct str job)
{
	const struct mark *end = job_find_mark(r, MARK_END, job);
	struct str rest = end ? end->rest : STR(""), word;
	return str_take_word(&rest, &word) && str_eq(word, STR("source=later-begin"));
}

static bool job_find_attribute(struct str words, struct str key, struct str *value)
{
	struct str word;
	while (str_take_word(&words, &word))
		if (str_take_prefix(&word, key) && str_take_prefix(&word, STR("="))) {
			*value = word;
			return true;
		}
	return false;
}

bool job_attribute(const struct record *r, struct str job, struct str key, struct str *value)
{
	bool ended = false;
	for (size_t i = 0; i < r->n_marks; i++) {
		const struct mark *m = &r->mark[i];
		if (m->kind == MARK_OTHER || !str_eq(m->subject, job))
			continue;
		if (ended && m->kind == MARK_BEGIN)
			/* all further marks belong to the next run */
			return false;
		ended |= m->kind == MARK_END;
		if (job_find_attribute(m->rest, key, value))
			return true;
	}
	return false;
}

bool job_attribute_text(const struct record *r, struct str job, struct str key, char *to,
			size_t size)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str value;
	if (!job_attribute(r, job, key, &value) || value.n == 0)
		return false;
	buf_add_unescaped(&text, value);
	utf8_copy(to, size, buf_str(&text));
	return true;
}

bool job_shares(const struct job_watch *w, const struct record *r, unsigned what)
{
	for (size_t i = 0; i < r->n_jobs; i++) {
		struct str other = r->job[i];
		bool before = (what & JOB_OPEN) && job_find_mark(r, MARK_END, other);
		bool after = (what & JOB_CLOSE) && job_find_mark(r, MARK_BEGIN, other);
		if (!str_eq(other, w->job) && !before && !after)
			return true;
	}
	return false;
}

void job_owner_take(struct job_owner *o, const struct record *r, struct str job)
{
	bool name = job_attribute_text(r, job, STR("user"), o->user, sizeof(o->user));
	if (!name && (o->user[0] ||
		      !job_attribute_text(r, job, STR("uid"), o->user, sizeof(o->user))))
		return;
	o->by_uid = !name;
}
