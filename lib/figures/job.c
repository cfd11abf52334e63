/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - which samples of a node belong to a job */
#include "figures/job.h"

static const struct mark *find_mark(const struct record *r, enum mark_kind kind, struct str job)
{
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == kind && str_eq(r->mark[i].subject, job))
			return &r->mark[i];
	return NULL;
}

bool job_has_mark(const struct record *r, enum mark_kind kind, struct str job)
{
	return find_mark(r, kind, job);
}

static unsigned open_run(struct job_watch *w, bool begun)
{
	w->state = JOB_HERE;
	w->known = true;
	w->begun = begun;
	return JOB_OPEN | JOB_TAKE;
}

/* The job is here, or was until its name went away. */
static unsigned go_on(struct job_watch *w, bool begins, bool named, bool booted)
{
	if (begins && w->begun && (w->state == JOB_LEFT || booted))
		return JOB_CLOSE_LOST | open_run(w, true);	/* started again by the scheduler */
	if (begins && !w->begun)
		return JOB_DROP | open_run(w, true);
	w->state = named ? JOB_HERE : JOB_LEFT;
	return named ? JOB_TAKE : 0;
}

unsigned job_watch_record(struct job_watch *w, const struct record *r, bool booted)
{
	if (w->any)
		return w->state != JOB_AWAY ? JOB_TAKE : open_run(w, false);

	bool begins = find_mark(r, MARK_BEGIN, w->job);
	bool ends = find_mark(r, MARK_END, w->job);
	bool named = begins || ends || record_has_job(r, w->job);
	unsigned what = 0;

	if (w->state != JOB_AWAY)
		what = go_on(w, begins, named, booted);
	else if (begins || (named && !w->known))
		what = open_run(w, begins);
	if (ends && what) {
		w->state = JOB_AWAY;
		what |= JOB_CLOSE;
	}
	return what;
}

bool job_ends_by_later(const struct record *r, struct str job)
{
	const struct mark *end = find_mark(r, MARK_END, job);
	struct str rest = end ? end->rest : STR(""), word;
	return str_take_word(&rest, &word) && str_eq(word, STR("source=later-begin"));
}

static bool find_attribute(struct str words, struct str key, struct str *value)
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
	for (size_t i = 0; i < r->n_marks; i++) {
		const struct mark *m = &r->mark[i];
		if (m->kind != MARK_OTHER &&
		    str_eq(m->subject, job) && find_attribute(m->rest, key, value))
			return true;
	}
	return false;
}

bool job_shares(const struct job_watch *w, const struct record *r, unsigned what)
{
	for (size_t i = 0; i < r->n_jobs; i++) {
		struct str other = r->job[i];
		bool before = (what & JOB_OPEN) && find_mark(r, MARK_END, other);
		bool after = (what & JOB_CLOSE) && find_mark(r, MARK_BEGIN, other);
		if (!str_eq(other, w->job) && !before && !after)
			return true;
	}
	return false;
}
