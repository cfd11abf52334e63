/* SPDX-License-Identifier: BSD-3-Clause */
/* job_sources.c - begin and end jobs by the job file and by cgroups, without a hook */
#include "recorder/job_sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "recorder/requests.h"
#include "base/clock.h"
#include "schema/marks.h"

/*
 * us; end a job that a hook began if its cgroup has been gone for this long: the hook's report of
 * the end must be lost. Jobs of Slurm without PrologFlags=Contain have no cgroup between steps, so
 * wait long.
 */
#define GROUPLESS_US 600000000

/* Jobs that begin and end now, to be recorded in one record group. */
struct job_changes {
	enum job_source source;
	int64_t usec;
	size_t n;
	struct request *q;
};

static void job_changes_add(struct job_changes *c, enum request_what what, struct str id,
			    int64_t usec)
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

static void job_changes_free(struct job_changes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free((char *)c->q[i].text.p);
		buf_free(&c->q[i].summary);
	}
	free(c->q);
}

/* Record the changes. Returns 1 if a record group was written, 0 if nothing changed, or -errno. */
static int job_changes_record(struct recorder *r, const struct job_changes *c)
{
	int e = c->n ? recorder_mark_all(r, c->q, c->n) : 0;
	for (size_t i = 0; i < c->n && e == 0; i++)
		e = c->q[i].result == -EOVERFLOW ? -EOVERFLOW : 0;
	return e < 0 ? e : c->n > 0;
}

/*
 * If the job file names another job than before, end the previous job and begin the new one, unless
 * a hook has begun it.
 */
static void job_changes_find_file(const struct jobs *j, struct str id, struct job_changes *c)
{
	const struct job *was = jobs_of_file(j);
	if (str_eq(was ? str_of(was->id) : STR(""), id))
		return;
	if (was)
		job_changes_add(c, REQUEST_END, str_of(was->id), c->usec);
	if (id.n && !jobs_find(j, id))
		job_changes_add(c, REQUEST_BEGIN, id, c->usec);
}

int recorder_job_file(struct recorder *r)
{
	char buf[JOB_ID_MAX + 2];
	struct str id = jobs_read_file(r->config->job_file, buf, sizeof(buf));
	struct job_changes c CLEANUP(job_changes_free) = { JOB_FROM_FILE, realtime_us(), 0, NULL };
	int e = r->marks_left ? -ETIMEDOUT : recorder_enter(r, false);
	if (e < 0)
		return e;
	job_changes_find_file(&r->jobs, id, &c);
	e = job_changes_record(r, &c);
	recorder_leave(r);
	return e;
}

bool job_group_among(const struct job_cgroup *g, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (!g[i].gone_us && strcmp(g[i].id, id) == 0)
			return true;
	return false;
}

/* Return the time at which the job's cgroup disappeared, or usec if unknown. */
static int64_t job_gone_since(const struct job_cgroup *g, size_t n, const char *id, int64_t usec)
{
	for (size_t i = 0; i < n; i++)
		if (g[i].gone_us && strcmp(g[i].id, id) == 0)
			return g[i].gone_us;
	return usec;
}

/* Return true if a job should end now because its cgroup is gone. */
static bool job_ends_without_group(struct job *job, int64_t now)
{
	if (!job->grouped || job->end_left)
		return false;
	if (!job->gone_us)
		job->gone_us = now;
	return job->source == JOB_FROM_CGROUP ||
	       (job->source == JOB_FROM_HOOK && now - job->gone_us >= GROUPLESS_US);
}

/* Update .grouped and .gone_us of the jobs. Returns true if the state file must be saved. */
static bool jobs_note_groups(struct jobs *j, const struct job_cgroup *g, size_t n)
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

/*
 * Return true if a new cgroup begins a job. The old cgroup of a job that has ended does not begin
 * the job again, even if the agent has just started and sees this cgroup for the first time.
 */
static bool job_begins_with_group(const struct jobs *j, const struct job_cgroup *g, int64_t now)
{
	struct str id = str_of(g->id);
	if (!g->is_new || !job_id_valid(id) || jobs_find(j, id))
		return false;
	const struct ended *e = jobs_ended_since(j, id, now - JOB_LATE_US);
	return !e || !e->grouped;
}

static void job_changes_find_groups(struct jobs *j, const struct job_cgroup *g, size_t n,
				    struct job_changes *c)
{
	for (size_t i = 0; i < j->n; i++) {
		const char *id = j->job[i].id;
		if (!job_group_among(g, n, id) && job_ends_without_group(&j->job[i], c->usec))
			job_changes_add(c, REQUEST_END, str_of(id),
					job_gone_since(g, n, id, c->usec));
	}
	for (size_t i = 0; i < n; i++)
		if (!g[i].gone_us && job_begins_with_group(j, &g[i], c->usec))
			job_changes_add(c, REQUEST_BEGIN, str_of(g[i].id), c->usec);
}

int recorder_groups(struct recorder *r, const struct job_cgroup *g, size_t n)
{
	struct job_changes c CLEANUP(job_changes_free) = { JOB_FROM_CGROUP, realtime_us(), 0,
							  NULL };
	int e = recorder_enter(r, false);
	if (e < 0)
		return e;
	bool noted = jobs_note_groups(&r->jobs, g, n);
	job_changes_find_groups(&r->jobs, g, n, &c);
	e = job_changes_record(r, &c);
	if (noted && c.n == 0)
		recorder_save_jobs(r);
	recorder_leave(r);
	return e;
}
