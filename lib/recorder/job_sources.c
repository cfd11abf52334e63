/* SPDX-License-Identifier: BSD-3-Clause */
/* job_sources.c - jobs begin and end by the job file and by control groups, without a hook */
#include "recorder/job_sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "recorder/requests.h"
#include "base/clock.h"
#include "schema/marks.h"

/*
 * A job whose control group is gone for so long has lost its hook. Between the steps of a job of
 * Slurm without PrologFlags=Contain there is no group either.
 */
#define GROUPLESS_US 600000000

/* Jobs that end and begin at one moment; the group belongs to both. */
struct change {
	enum job_source source;
	int64_t usec;
	size_t n;
	struct request *q;
};

static void add_change(struct change *c, enum request_what what, struct str id, int64_t usec)
{
	struct buf text = { 0 };
	buf_addf(&text, STR_FMT " " MARK_REQUEST_KEY "%lld.%d", STR_ARG(id), (long long)c->usec,
		 (int)getpid());
	c->q = xrealloc(c->q, (c->n + 1) * sizeof(*c->q));
	struct request *q = &c->q[c->n++];
	*q = (struct request){
		.what = what, .source = c->source, .usec = usec, .text = buf_str(&text),
	};
	q->result = request_check(q);
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

/* The job of the file before ends, the one there now begins; a hook may have been first. */
static void find_change(const struct jobs *j, struct str id, struct change *c)
{
	const struct job *was = jobs_of_file(j);
	if (str_eq(was ? str_of(was->id) : STR(""), id))
		return;
	if (was)
		add_change(c, REQUEST_END, str_of(was->id), c->usec);
	if (id.n && !jobs_find(j, id))
		add_change(c, REQUEST_BEGIN, id, c->usec);
}

int recorder_job_file(struct recorder *r)
{
	char buf[JOB_ID_MAX + 2];
	struct str id = jobs_read_file(r->config->job_file, buf, sizeof(buf));
	struct change c CLEANUP(change_free) = { JOB_FROM_FILE, realtime_us(), 0, NULL };
	int e = recorder_enter(r, false);
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
		if (!g[i].gone_us && strcmp(g[i].id, id) == 0)
			return true;
	return false;
}

/* When a group went that is not there; usec: that is not known. */
static int64_t gone_since(const struct job_group *g, size_t n, const char *id, int64_t usec)
{
	for (size_t i = 0; i < n; i++)
		if (g[i].gone_us && strcmp(g[i].id, id) == 0)
			return g[i].gone_us;
	return usec;
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

/* The state file keeps for a restart whose group is there. True if that has changed. */
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
	const struct ended *e = jobs_ended_since(j, id, now - JOB_LATE_US);
	return !e || !e->grouped;
}

static void find_group_changes(struct jobs *j, const struct job_group *g, size_t n,
			       struct change *c)
{
	for (size_t i = 0; i < j->n; i++) {
		const char *id = j->job[i].id;
		if (!job_group_among(g, n, id) && ends_without_group(&j->job[i], c->usec))
			add_change(c, REQUEST_END, str_of(id), gone_since(g, n, id, c->usec));
	}
	for (size_t i = 0; i < n; i++)
		if (!g[i].gone_us && begins_with_group(j, &g[i], c->usec))
			add_change(c, REQUEST_BEGIN, str_of(g[i].id), c->usec);
}

int recorder_groups(struct recorder *r, const struct job_group *g, size_t n)
{
	struct change c CLEANUP(change_free) = { JOB_FROM_CGROUP, realtime_us(), 0, NULL };
	int e = recorder_enter(r, false);
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
