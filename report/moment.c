/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.c - the samples around a moment on a host, and which jobs were there */
#include "report/moment.h"

#include <stdlib.h>
#include "base/log.h"
#include "base/vec.h"
#include "figures/job.h"
#include "figures/units.h"

#define FAR (2 * 86400000000LL)	/* microseconds: who began earlier, the page does not name */

struct moment {
	int64_t at, before, after;	/* 0: no such sample */
	struct there *known;	/* whose begin mark was seen */
	size_t n_known, cap_known;
	struct there *there;
	size_t n, cap;
};

static size_t find(const struct there *t, size_t n, struct str job)
{
	while (n > 0 && !str_eq(job, str_of(t[n - 1].job)))
		n--;
	return n;
}

/* The newest of a job id is the one that counts. */
static void take_marks(struct moment *m, const struct record *r)
{
	struct str user;

	for (size_t i = 0; i < r->n_marks; i++) {
		struct str job = r->mark[i].subject;
		if (r->mark[i].kind != MARK_BEGIN || !job_attribute(r, job, STR("user"), &user))
			continue;
		size_t k = find(m->known, m->n_known, job);
		if (k == 0) {
			m->known = vec_reserve(m->known, &m->cap_known, m->n_known + 1,
					       sizeof(*m->known));
			m->known[m->n_known] = (struct there){ .job = xstrdup(job) };
			k = ++m->n_known;
		}
		str_copy(m->known[k - 1].user, sizeof(m->known[k - 1].user), user);
	}
}

static void take_jobs(struct moment *m, const struct record *r)
{
	for (size_t i = 0; i < r->n_jobs; i++) {
		if (find(m->there, m->n, r->job[i]))
			continue;
		m->there = vec_reserve(m->there, &m->cap, m->n + 1, sizeof(*m->there));
		struct there *t = &m->there[m->n++];
		*t = (struct there){ .job = xstrdup(r->job[i]) };
		size_t k = find(m->known, m->n_known, r->job[i]);
		if (k)
			str_copy(t->user, sizeof(t->user), str_of(m->known[k - 1].user));
	}
}

static void free_there(struct there *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(t[i].job);
	free(t);
}

/* Samples come in order of time. The first after the moment has what happened until then. */
static void look(void *arg, const struct job_sample *t)
{
	struct moment *m = arg;
	const struct record *r = t->record;

	if (m->after)
		return;
	take_marks(m, r);
	if (r->usec <= m->at) {
		m->before = r->usec;
		free_there(m->there, m->n);
		m->there = NULL;
		m->n = m->cap = 0;
	} else {
		m->after = r->usec;
	}
	take_jobs(m, r);
}

static bool is_between(const struct moment *m, const struct report *r)
{
	if (r->n > 1)
		log_error("--at is for one host, these are %zu", r->n);
	else if (!m->before)
		log_error("the oldest sample within 2 days is of %s", text_time(m->after).s);
	else if (!m->after)
		log_error("the newest sample until then is of %s, and there is none later",
			  text_time(m->before).s);
	return r->n == 1 && m->before && m->after;
}

bool moment_report(struct search *q, int64_t at, struct report *r)
{
	struct moment m = { .at = at };
	struct search around = *q;
	struct report all = { 0 };

	around.ask.since = at - FAR;
	around.ask.until = at + FAR;
	around.ask.on_sample = look;
	around.ask.arg = &m;
	bool found = search_all(&around, &all) && is_between(&m, &all);
	report_free(&all);
	search_free(&around);
	free_there(m.known, m.n_known);
	if (found) {
		q->ask.since = m.before;
		q->ask.until = m.after;
		found = search_all(q, r);
	}
	r->at = at;
	r->there = m.there;
	r->n_there = m.n;
	return found;
}

void moment_free(struct report *r)
{
	free_there(r->there, r->n_there);
	r->there = NULL;
	r->n_there = 0;
}
