/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.c - report on a host at one moment: the two samples around it, the jobs on the host */
#include "report/moment.h"

#include <stdlib.h>
#include "base/log.h"
#include "base/vec.h"
#include "base/words.h"
#include "figures/job.h"
#include "figures/units.h"

/*
 * 2 days in microseconds; also read the records of this long before and after the moment, because
 * the mark with a job's user may be that far away
 */
#define FAR (2 * 86400000000LL)

/* A run of a job id, from the records around the moment. */
struct moment_run {
	struct job_watch watch;
	struct job_owner owner;
	uint64_t record;	/* number of the latest record that lists the job */
};

struct moment {
	/* times of the samples before and after .at; 0 if there is none */
	int64_t at, before, after;
	uint64_t record;		/* number of the current record, from 1 */
	struct moment_run *run;
	size_t n, cap;
	struct words jobs;	/* job ids; .n of an id is the index in .run of its latest run */
	/* jobs in the samples before and after the moment, as indexes in .run */
	size_t *there;
	size_t n_there, cap_there;
};

static bool moment_is_known(const struct moment *m, struct str job)
{
	return words_find(&m->jobs, job) != WORDS_NONE;
}

/* Add a run as the latest run of its id. */
static struct moment_run *moment_add_run(struct moment *m, struct word *id, struct job_watch watch)
{
	m->run = vec_reserve(m->run, &m->cap, m->n + 1, sizeof(*m->run));
	m->run[m->n] = (struct moment_run){ .watch = watch };
	id->n = m->n;
	return &m->run[m->n++];
}

/* Find an id. If the id is new, add its first run. */
static struct word *moment_find_id(struct moment *m, struct str job)
{
	size_t known = m->jobs.n, i = words_add(&m->jobs, job);
	struct word *id = &m->jobs.word[i];
	if (i == known)
		moment_add_run(m, id, (struct job_watch){ .job = str_of(id->text) });
	return id;
}

static bool is_there(const struct moment *m, size_t run)
{
	for (size_t i = 0; i < m->n_there; i++)
		if (m->there[i] == run)
			return true;
	return false;
}

/* Process a record that lists the job or marks the job, by the rules of figures/job.h. */
static void follow(struct moment *m, const struct record *r, struct str job, bool booted)
{
	struct word *id = moment_find_id(m, job);
	struct moment_run *run = &m->run[id->n];
	if (run->record == m->record)
		return;
	if (run->record + 1 < m->record && run->watch.state == JOB_HERE)
		run->watch.state = JOB_LEFT;
	bool again = run->watch.known;
	unsigned what = job_watch_record(&run->watch, r, booted);
	if ((what & JOB_OPEN) && again)
		run = moment_add_run(m, id, run->watch);
	run->record = m->record;
	if (what & JOB_TAKE)
		job_owner_take(&run->owner, r, job);
	if (what & JOB_REOPEN) {
		const struct record next = job_reopen(&run->watch, r);
		run = moment_add_run(m, id, run->watch);
		run->record = m->record;
		job_owner_take(&run->owner, &next, job);
	}
}

static bool is_of_job(const struct mark *mark)
{
	return mark->kind == MARK_BEGIN || mark->kind == MARK_END || mark->kind == MARK_ATTRIBUTES;
}

/*
 * Process all jobs of a record. If the record is later than the moment, process only the jobs that
 * are known already, because the record may have the user of such a job.
 */
static void follow_all(struct moment *m, const struct record *r, bool booted)
{
	m->record++;
	for (size_t i = 0; i < r->n_jobs; i++)
		if (!m->after || moment_is_known(m, r->job[i]))
			follow(m, r, r->job[i], booted);
	for (size_t i = 0; i < r->n_marks; i++)
		if (is_of_job(&r->mark[i]) && (!m->after || moment_is_known(m, r->mark[i].subject)))
			follow(m, r, r->mark[i].subject, booted);
}

static void note_there(struct moment *m, const struct record *r)
{
	for (size_t i = 0; i < r->n_jobs; i++) {
		size_t run = m->jobs.word[words_find(&m->jobs, r->job[i])].n;
		if (is_there(m, run))
			continue;
		m->there = vec_reserve(m->there, &m->cap_there, m->n_there + 1, sizeof(*m->there));
		m->there[m->n_there++] = run;
	}
}

/*
 * Process a sample; samples come in time order. Include the jobs of the first sample after the
 * moment, because this sample ends the interval that contains the moment.
 */
static void moment_look(void *arg, const struct job_sample *t)
{
	struct moment *m = arg;
	const struct record *r = t->record;

	follow_all(m, r, t->booted);
	if (m->after)
		return;
	if (r->usec <= m->at) {
		m->before = r->usec;
		m->n_there = 0;
	} else {
		m->after = r->usec;
	}
	note_there(m, r);
}

static void give_there(const struct moment *m, struct report *r)
{
	r->there = xrealloc(NULL, (m->n_there + 1) * sizeof(*r->there));
	r->n_there = m->n_there;
	for (size_t i = 0; i < m->n_there; i++) {
		const struct moment_run *run = &m->run[m->there[i]];
		r->there[i] = (struct there){ .job = xstrdup(run->watch.job) };
		str_copy(r->there[i].user, sizeof(r->there[i].user), str_of(run->owner.user));
	}
}

static void free_moment(struct moment *m)
{
	free(m->run);
	free(m->there);
	words_free(&m->jobs);
}

static bool is_between(const struct moment *m, const struct report *r)
{
	if (r->n > 1)
		log_error("--at needs one host, but the pattern matches %zu", r->n);
	else if (!m->before)
		log_error("the oldest sample within 2 days is from %s", text_time(m->after).s);
	else if (!m->after)
		log_error("the newest sample until then is from %s, and there is none in the 2 "
			  "days after --at", text_time(m->before).s);
	return r->n == 1 && m->before && m->after;
}

bool moment_report(struct search *q, int64_t at, struct report *r)
{
	struct moment m CLEANUP(free_moment) = { .at = at };
	struct search around = *q;
	struct report all = { 0 };

	around.ask.since = at - FAR;
	around.ask.until = at + FAR;
	around.ask.on_sample = moment_look;
	around.ask.arg = &m;
	bool found = search_all(&around, &all) && is_between(&m, &all);
	report_free(&all);
	search_free(&around);
	if (found) {
		q->ask.since = m.before;
		q->ask.until = m.after;
		found = search_all(q, r);
	}
	r->at = at;
	give_there(&m, r);
	return found;
}

void moment_free(struct report *r)
{
	for (size_t i = 0; i < r->n_there; i++)
		free(r->there[i].job);
	free(r->there);
	r->there = NULL;
	r->n_there = 0;
}
