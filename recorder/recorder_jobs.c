/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_jobs.c - begins and ends of jobs, each marked once, whichever source reports it first */
#include "recorder/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "recorder/recorder_steps.h"
#include "recorder/attributes.h"
#include "recorder/job_exports.h"
#include "base/clock.h"
#include "base/listener.h"
#include "schema/marks.h"

/*
 * A hook's end that comes within this time after another end of the job says nothing new; a job
 * whose control group is gone for so long has lost its hook. Between the steps of a job of Slurm
 * without PrologFlags=Contain there is no group either.
 */
#define LATE_US     3600000000
#define GROUPLESS_US 600000000

/*
 * A hook's begin that comes so much later than the one before, with no end between them, is of the
 * job's next run: it was requeued, and its end was lost. A hook that runs twice does so at once.
 */
#define AGAIN_US     60000000

static void add_job_mark(struct recorder *r, const char *verb, struct str id,
			 const char *source, struct str attributes)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_addf(&text, STR_FMT " source=%s", STR_ARG(id), source);
	if (attributes.n)
		buf_addf(&text, " " STR_FMT, STR_ARG(attributes));
	recorder_add_mark(r, verb, buf_str(&text));
}

static void note_user(struct job *job, struct str attributes)
{
	struct str value = attributes_get(attributes, STR("uid"));
	uint64_t uid;
	if (str_is_u64(value) && str_take_u64(&value, &uid) && uid < UINT32_MAX)
		job->uid = (int64_t)uid;
}

/* A hook comes second to a control group: from then on its end counts, and what it knows. */
static void take_over(struct recorder *r, struct str id, struct str attributes)
{
	struct job *job = jobs_get(&r->jobs, id);
	if (!job || job->source != JOB_FROM_CGROUP)
		return;
	job->source = JOB_FROM_HOOK;
	job->hooked_us = realtime_us();
	note_user(job, attributes);
	add_job_mark(r, "attributes", id, job_source_names[JOB_FROM_HOOK], attributes);
}

/* Who records one begin alone will not see the end. */
static void mark_begin(struct recorder *r, struct str id, enum job_source source,
		       struct str attributes, int64_t now)
{
	add_job_mark(r, "begin", id, job_source_names[source], attributes);
	if (r->out.keep)
		job_summary_begin(&r->summary, id, now);
}

void job_mark_end(struct recorder *r, struct str id, const char *source, struct str attributes)
{
	add_job_mark(r, "end", id, source, attributes);
	recorder_take_back(r, id);
	job_summary_end(&r->summary, id);
}

void job_put_summary(struct recorder *r, struct str id, int64_t end_us)
{
	r->ended.n = 0;
	job_summary_put(&r->summary, id, r->host.name, end_us, &r->ended);
}

/* Only an agent sees groups. */
static bool may_have_group(const struct recorder *r, struct str id)
{
	const struct job *job = jobs_find(&r->jobs, id);
	return !r->out.keep || (job && job->grouped && !job->gone_us);
}

/* What has ended is known no more, but that it ended is. */
void job_forget(struct recorder *r, struct str id)
{
	char ended[JOB_ID_MAX + 1];
	str_copy(ended, sizeof(ended), id);	/* it may lie in what is removed */
	job_put_summary(r, str_of(ended), r->last_us);
	job_summary_forget(&r->summary, str_of(ended));
	job_exports_end(r->config, r->listener, str_of(ended), r->host.name, buf_str(&r->ended));
	jobs_note_end(&r->jobs, str_of(ended), r->last_us,
		      may_have_group(r, str_of(ended)));
	if (jobs_remove(&r->jobs, str_of(ended)) < 0)
		say_debug(r->listener, "job %s has ended and was not begun here", ended);
}

void job_put_identity(struct buf *to, struct str attributes)
{
	struct str request = mark_request(attributes);
	if (request.n)
		buf_addf(to, "%s" MARK_REQUEST_KEY STR_FMT, to->n ? " " : "", STR_ARG(request));
}

/* Where its last run has not ended, that ends now: -EEXIST, or what jobs_add() says of the next. */
static int add_next_run(struct recorder *r, struct str id, struct str attributes, int64_t now)
{
	struct buf identity CLEANUP(buf_free) = { 0 };
	const struct job *job = jobs_find(&r->jobs, id);
	bool soon = !job->gone_us && now - job->hooked_us < AGAIN_US;
	if (!job->ends && (job->source != JOB_FROM_HOOK || soon))
		return -EEXIST;
	bool grouped = job->grouped && !job->gone_us;
	job_put_identity(&identity, attributes);
	if (!job->ends)
		job_mark_end(r, id, job_source_names[JOB_FROM_HOOK], buf_str(&identity));
	job_forget(r, id);
	int e = jobs_add(&r->jobs, id, now, JOB_FROM_HOOK);
	if (e == 0)
		jobs_get(&r->jobs, id)->grouped = grouped;
	return e;
}

/* A job that was found by its control group or the job file is begun once, whoever was first. */
int job_begin(struct recorder *r, struct str id, enum job_source source, struct str attributes,
	      int64_t at)
{
	bool hook = source == JOB_FROM_HOOK;
	if (source != JOB_FROM_FILE)
		job_end_earlier(r, id, attributes, at);
	int known = jobs_add(&r->jobs, id, at, source);
	if (known == 0)
		jobs_get(&r->jobs, id)->grouped = source == JOB_FROM_CGROUP;
	else if (known == -EEXIST && hook)
		known = add_next_run(r, id, attributes, at);
	if (known == 0)
		note_user(jobs_get(&r->jobs, id), attributes);
	if (known == 0)
		mark_begin(r, id, source, attributes, at);
	else if (known == -EEXIST && hook)
		take_over(r, id, attributes);
	return known;
}

/* What ended by a later begin stays so, however late its hook comes. */
static bool has_ended(const struct recorder *r, struct str id)
{
	const struct ended *e = jobs_ended_since(&r->jobs, id, 0);
	return e && (e->later || jobs_ended_since(&r->jobs, id, realtime_us() - LATE_US));
}

int job_end(struct recorder *r, struct str id, enum job_source source, struct str attributes)
{
	const struct job *job = jobs_find(&r->jobs, id);
	bool known = job != NULL;
	if (known ? job->ends : source != JOB_FROM_HOOK || has_ended(r, id))
		return -EALREADY;
	job_mark_end(r, id, job_source_names[source], attributes);
	return known ? 0 : -ENOENT;
}

/* Jobs that end and begin at one moment; the group belongs to both. */
struct change {
	enum job_source source;
	int64_t usec;
	size_t n;
	struct request *q;
};

static void add_change(struct change *c, enum request_what what, struct str id)
{
	struct buf text = { 0 };
	buf_addf(&text, STR_FMT " " MARK_REQUEST_KEY "%lld.%d", STR_ARG(id), (long long)c->usec,
		 (int)getpid());
	c->q = xrealloc(c->q, (c->n + 1) * sizeof(*c->q));
	c->q[c->n++] = (struct request){
		.what = what, .source = c->source, .usec = c->usec, .text = buf_str(&text),
	};
}

static void change_free(struct change *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free((char *)c->q[i].text.p);
		buf_free(&c->q[i].summary);
	}
	free(c->q);
}

/* 1: a group was written; 0: there is nothing to change. */
static int record_change(struct recorder *r, const struct change *c)
{
	int e = c->n ? recorder_mark_all(r, c->q, c->n) : 0;
	for (size_t i = 0; i < c->n && e == 0; i++)
		e = c->q[i].result == -EOVERFLOW ? -EOVERFLOW : 0;
	return e < 0 ? e : c->n > 0;
}

/* One of the two ends, one begins, or both; a hook may have been first. */
static void find_change(const struct jobs *j, struct str id, struct change *c)
{
	const struct job *was = jobs_of_file(j);
	if (str_eq(was ? str_of(was->id) : STR(""), id))
		return;
	if (was)
		add_change(c, REQUEST_END, str_of(was->id));
	if (id.n && !jobs_find(j, id))
		add_change(c, REQUEST_BEGIN, id);
}

int recorder_job_file(struct recorder *r)
{
	char buf[JOB_ID_MAX + 2];
	struct str id = jobs_read_file(r->config->job_file, buf, sizeof(buf));
	struct change c CLEANUP(change_free) = { JOB_FROM_FILE, realtime_us(), 0, NULL };
	int e = recorder_enter(r);
	if (e < 0)
		return e;
	find_change(&r->jobs, id, &c);
	e = record_change(r, &c);
	recorder_leave(r);
	return e;
}

bool job_group_among(const struct job_group *g, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(g[i].id, id) == 0)
			return true;
	return false;
}

/* Whether a job that has no group any more is to end by that. */
static bool ends_without_group(struct job *job, int64_t now)
{
	if (!job->grouped)
		return false;
	if (!job->gone_us)
		job->gone_us = now;
	return job->source == JOB_FROM_CGROUP ||
	       (job->source == JOB_FROM_HOOK && now - job->gone_us >= GROUPLESS_US);
}

/* What the state file keeps for a restart: whose group is there. True if that has changed. */
static bool note_groups(struct jobs *j, const struct job_group *g, size_t n)
{
	bool changed = false;
	for (size_t i = 0; i < j->n; i++) {
		struct job *job = &j->job[i];
		bool is_there = job_group_among(g, n, job->id);
		changed |= is_there && !job->grouped;
		job->grouped |= is_there || job->source == JOB_FROM_CGROUP;
		job->gone_us = is_there ? 0 : job->gone_us;
	}
	for (size_t i = 0; i < j->n_ended; i++) {
		struct ended *e = &j->ended[i];
		bool has_gone = e->grouped && !job_group_among(g, n, e->id);
		changed |= has_gone;
		e->grouped &= !has_gone;
	}
	return changed;
}

/* A group that outlives its job is not the job's next run, also to an agent that sees it first. */
static bool begins_with_group(const struct jobs *j, const struct job_group *g, int64_t now)
{
	struct str id = str_of(g->id);
	if (!g->is_new || !job_id_valid(id) || jobs_find(j, id))
		return false;
	const struct ended *e = jobs_ended_since(j, id, now - LATE_US);
	return !e || !e->grouped;
}

static void find_group_changes(struct jobs *j, const struct job_group *g, size_t n,
			       struct change *c)
{
	for (size_t i = 0; i < j->n; i++)
		if (!job_group_among(g, n, j->job[i].id) && ends_without_group(&j->job[i], c->usec))
			add_change(c, REQUEST_END, str_of(j->job[i].id));
	for (size_t i = 0; i < n; i++)
		if (begins_with_group(j, &g[i], c->usec))
			add_change(c, REQUEST_BEGIN, str_of(g[i].id));
}

int recorder_groups(struct recorder *r, const struct job_group *g, size_t n)
{
	struct change c CLEANUP(change_free) = { JOB_FROM_CGROUP, realtime_us(), 0, NULL };
	int e = recorder_enter(r);
	if (e < 0)
		return e;
	bool noted = note_groups(&r->jobs, g, n);
	find_group_changes(&r->jobs, g, n, &c);
	e = record_change(r, &c);
	if (noted && c.n == 0)
		recorder_save_jobs(r);
	recorder_leave(r);
	return e;
}
