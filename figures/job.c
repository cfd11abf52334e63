/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - which samples of a node belong to a job */
#include "figures/job.h"

/* Takes the next of "7,8"; "-" is none. */
static bool take_job(struct str *jobs, struct str *job)
{
	if (str_take_until(jobs, ',', job))
		return true;
	*job = *jobs;
	jobs->n = 0;
	return job->n && !str_eq(*job, STR("-"));
}

static bool names(struct str jobs, struct str job)
{
	struct str one;

	while (take_job(&jobs, &one))
		if (str_eq(one, job))
			return true;
	return false;
}

static bool marks(const struct raw_group *g, struct str verb, struct str job)
{
	for (size_t i = 0; i < g->n_marks; i++) {
		struct str mark = g->mark[i], word;
		if (str_take_prefix(&mark, verb) && str_take_word(&mark, &word) &&
		    str_eq(word, job))
			return true;
	}
	return false;
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

unsigned job_watch_group(struct job_watch *w, const struct raw_group *g, bool booted)
{
	if (w->any)
		return w->state != JOB_AWAY ? JOB_TAKE : open_run(w, false);

	bool begins = g->n_marks > 0 && marks(g, STR("begin "), w->job);
	bool ends = g->n_marks > 0 && marks(g, STR("end "), w->job);
	bool named = begins || ends || names(g->jobs, w->job);
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

bool job_ends_by_later(const struct raw_group *g, struct str job)
{
	for (size_t i = 0; i < g->n_marks; i++) {
		struct str mark = g->mark[i], word;
		if (str_take_prefix(&mark, STR("end ")) && str_take_word(&mark, &word) &&
		    str_eq(word, job))
			return str_take_word(&mark, &word) &&
			       str_eq(word, STR("source=later-begin"));
	}
	return false;
}

bool job_attribute(const struct raw_group *g, struct str job, struct str key, struct str *value)
{
	for (size_t i = 0; i < g->n_marks; i++) {
		struct str mark = g->mark[i], word;
		if (!str_take_prefix(&mark, STR("begin ")) &&
		    !str_take_prefix(&mark, STR("attributes ")))
			continue;
		if (!str_take_word(&mark, &word) || !str_eq(word, job))
			continue;
		while (str_take_word(&mark, &word))
			if (str_take_prefix(&word, key) && str_take_prefix(&word, STR("="))) {
				*value = word;
				return true;
			}
	}
	return false;
}

bool job_shares(const struct job_watch *w, const struct raw_group *g, unsigned what)
{
	struct str jobs = g->jobs, other;
	while (take_job(&jobs, &other)) {
		bool before = (what & JOB_OPEN) && marks(g, STR("end "), other);
		bool after = (what & JOB_CLOSE) && marks(g, STR("begin "), other);
		if (!str_eq(other, w->job) && !before && !after)
			return true;
	}
	return false;
}
