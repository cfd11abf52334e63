/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.c - begins and ends of jobs, each marked once, whichever source reports it first */
#include "recorder/job_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "figures/allocation.h"
#include "recorder/attributes.h"
#include "recorder/job_exports.h"
#include "base/clock.h"
#include "base/listener.h"
#include "base/names.h"
#include "formats/raw_write.h"
#include "schema/marks.h"
#include "schema/type.h"

/*
 * A hook's begin that comes so much later than the one before, with no end between them, is of the
 * job's next run: it was requeued, and its end was lost. A hook that runs twice does so at once.
 */
#define AGAIN_US     60000000

static void add_mark(struct recorder *r, const char *verb, struct str text)
{
	struct buf mark CLEANUP(buf_free) = { 0 };
	buf_addf(&mark, "%s " STR_FMT, verb, STR_ARG(text));
	raw_put_mark(&r->marks, buf_str(&mark));
}

static void add_job_mark(struct recorder *r, const char *verb, struct str id,
			 const char *source, struct str attributes)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_addf(&text, STR_FMT " source=%s", STR_ARG(id), source);
	if (attributes.n)
		buf_addf(&text, " " STR_FMT, STR_ARG(attributes));
	add_mark(r, verb, buf_str(&text));
}

static void note_attributes(struct job *job, struct str attributes)
{
	struct str value = attributes_get(attributes, STR("uid"));
	struct str gpus = attributes_get(attributes, STR("gpus"));
	bool has[GPUS_MAX];
	uint64_t uid;
	if (gpus.n && gpus.n < sizeof(job->gpus) && gpu_list(gpus, has) == 0)
		str_copy(job->gpus, sizeof(job->gpus), gpus);
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
	note_attributes(job, attributes);
	add_job_mark(r, "attributes", id, job_source_names[JOB_FROM_HOOK], attributes);
}

/* A process that records one begin alone will not see the end. */
static void mark_begin(struct recorder *r, struct str id, enum job_source source,
		       struct str attributes, int64_t now)
{
	add_job_mark(r, "begin", id, job_source_names[source], attributes);
	if (r->out.to.keep)
		job_summary_begin(&r->summary, id, now);
}

/* The job is to have the counters no more: a mark says so. False: it had none. */
static bool take_back(struct recorder *r, struct str id)
{
	if (jobs_release(&r->jobs, id, false) < 0)
		return false;
	add_mark(r, mark_verbs[MARK_ACQUIRE], id);
	return true;
}

/* The group still belongs to the job, the next one does not. */
static void mark_end(struct recorder *r, struct str id, const char *source, struct str attributes)
{
	add_job_mark(r, "end", id, source, attributes);
	take_back(r, id);
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
	return !r->out.to.keep || (job && job->grouped && !job->gone_us);
}

/* The job is known no more, but its end is. */
void job_forget(struct recorder *r, struct str id)
{
	char ended[JOB_ID_MAX + 1];
	str_copy(ended, sizeof(ended), id);	/* the id may lie in what is removed */
	job_put_summary(r, str_of(ended), r->last_us);
	job_summary_forget(&r->summary, str_of(ended));
	job_exports_end(r->config, r->listener, str_of(ended), r->host.name,
			buf_str(&r->ended));
	jobs_note_end(&r->jobs, str_of(ended), r->last_us,
		      may_have_group(r, str_of(ended)));
	if (jobs_remove(&r->jobs, str_of(ended)) < 0)
		say_debug(r->listener, "job %s has ended and was not begun here", ended);
}

/* Marks of other jobs that a request makes have its identity, which is in the attributes. */
static void put_identity(struct buf *to, struct str attributes)
{
	struct str request = mark_request(attributes);
	if (request.n)
		buf_addf(to, "%s" MARK_REQUEST_KEY STR_FMT, to->n ? " " : "", STR_ARG(request));
}

/*
 * The scheduler says it of the later job, exclusive=yes among its attributes, or the site says it
 * of all. Only a job that a hook alone reports ends so, which has no control group and, where the
 * scheduler's word is all there is, no process: a job that is suspended for another has both.
 */
enum has { NONE, SOME, UNKNOWN };

static const struct type_state *type_job(const struct recorder *r)
{
	const struct sampler *s = &r->sampler;
	for (size_t i = 0; i < n_collectors; i++)
		if (collectors[i]->type == &job_type && s->type[i].on)
			return &s->type[i];
	return NULL;
}

/* The agent knows of groups as they come; who has no agent, from the sample that it took. */
static enum has has_group(const struct recorder *r, const struct job *job)
{
	if (job->grouped && !job->gone_us)
		return SOME;
	if (r->out.to.keep && r->config->job_cgroups)
		return NONE;
	const struct type_state *t = type_job(r);
	if (!t || !r->sampled || r->marks_only || (t->result < 0 && t->result != -ENOENT))
		return UNKNOWN;
	for (size_t i = 0; t->result == 0 && i < t->source.rows.n; i++)
		if (str_eq(rows_device(&t->source.rows, i), str_of(job->id)))
			return SOME;
	return NONE;
}

/* proc(5), "hidepid": who may not see process 1 sees no process of others. */
static enum has has_process(const struct recorder *r, int64_t uid)
{
	struct names names CLEANUP(names_free) = { 0 };
	struct stat st;
	int fd CLEANUP(close_fd) = files_open(&r->sampler.root, "proc", O_RDONLY | O_DIRECTORY);
	if (fd < 0 || fstatat(fd, "1", &st, 0) < 0 || names_read(&names, fd, "", NAMES_OF_ALL) < 0)
		return UNKNOWN;
	for (size_t i = 0; i < names.n; i++)
		if (str_is_u64(str_of(names.name[i])) && fstatat(fd, names.name[i], &st, 0) == 0 &&
		    st.st_uid == uid)
			return SOME;
	return names.n < NAMES_MAX ? NONE : UNKNOWN;
}

static bool has_left(const struct recorder *r, const struct job *job)
{
	if (has_group(r, job) != NONE)
		return false;
	if (job->uid < 0)
		return r->config->exclusive_jobs;
	return has_process(r, job->uid) == NONE;
}

static void end_by(struct recorder *r, struct job *job, struct str later, struct str attributes)
{
	struct buf by CLEANUP(buf_free) = { 0 };
	say_notice(r->listener,
		   "job %s ends: no hook has said so, and job " STR_FMT " has the node alone",
		   job->id, STR_ARG(later));
	buf_addf(&by, "by=" STR_FMT, STR_ARG(later));
	put_identity(&by, attributes);
	mark_end(r, str_of(job->id), "later-begin", buf_str(&by));
	job->ends = true;
}

static void end_earlier(struct recorder *r, struct str id, struct str attributes, int64_t at)
{
	if (!r->config->exclusive_jobs &&
	    !str_eq(attributes_get(attributes, STR("exclusive")), STR("yes")))
		return;
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct job *job = &r->jobs.job[i];
		bool earlier = job->source == JOB_FROM_HOOK && job->hooked_us < at && !job->ends;
		if (earlier && !str_eq(str_of(job->id), id) && has_left(r, job))
			end_by(r, job, id, attributes);
	}
}

void job_forget_earlier(struct recorder *r)
{
	char id[JOB_ID_MAX + 1];
	for (size_t i = r->jobs.n; i-- > 0; ) {
		if (!r->jobs.job[i].ends)
			continue;
		str_copy(id, sizeof(id), str_of(r->jobs.job[i].id));
		job_forget(r, str_of(id));
		jobs_note_later(&r->jobs, str_of(id));
		r->ended_later++;
	}
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
	put_identity(&identity, attributes);
	if (!job->ends)
		mark_end(r, id, job_source_names[JOB_FROM_HOOK], buf_str(&identity));
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
		end_earlier(r, id, attributes, at);
	int known = jobs_add(&r->jobs, id, at, source);
	if (known == 0)
		jobs_get(&r->jobs, id)->grouped = source == JOB_FROM_CGROUP;
	else if (known == -EEXIST && hook)
		known = add_next_run(r, id, attributes, at);
	if (known == 0)
		note_attributes(jobs_get(&r->jobs, id), attributes);
	if (known == 0)
		mark_begin(r, id, source, attributes, at);
	else if (known == -EEXIST && hook)
		take_over(r, id, attributes);
	return known;
}

/* A job that ended by a later begin stays so, however late its hook comes. */
static bool has_ended(const struct recorder *r, struct str id)
{
	const struct ended *e = jobs_ended_since(&r->jobs, id, 0);
	return e && (e->later || jobs_ended_since(&r->jobs, id, realtime_us() - JOB_LATE_US));
}

int job_end(struct recorder *r, struct str id, enum job_source source, struct str attributes)
{
	const struct job *job = jobs_find(&r->jobs, id);
	bool known = job != NULL;
	if (known ? job->ends : source != JOB_FROM_HOOK || has_ended(r, id))
		return -EALREADY;
	mark_end(r, id, job_source_names[source], attributes);
	return known ? 0 : -ENOENT;
}

/* Still with what was counted; with the mark on its way the counters are closed. */
static int give(struct recorder *r, struct str id)
{
	add_mark(r, mark_verbs[MARK_RELEASE], id);
	int e = recorder_record(r, 0);
	if (e == 0)
		e = jobs_release(&r->jobs, id, true);
	if (e == 0)
		recorder_save_jobs(r);
	return e;
}

int recorder_release(struct recorder *r, struct str id)
{
	if (!job_id_valid(id))
		return -EINVAL;
	int e = recorder_enter(r);
	if (e < 0)
		return e;
	const struct job *job = jobs_find(&r->jobs, id);
	int known = !job ? -ENOENT : job->released ? -EALREADY : 0;
	if (known == 0)
		e = give(r, id);
	counters_choose(&r->sampler, &r->jobs, !r->out.to.keep);
	recorder_leave(r);
	if (e < 0 || known == -ENOENT)
		return e < 0 ? e : known;
	return sampler_hangs_on(&r->sampler) ? -EBUSY : known;
}

int recorder_acquire(struct recorder *r, struct str id)
{
	size_t n = 0;
	if (id.n && !job_id_valid(id))
		return -EINVAL;
	int e = recorder_enter(r);
	if (e < 0)
		return e;
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct str one = str_of(r->jobs.job[i].id);
		if (id.n == 0 || str_eq(id, one))
			n += take_back(r, one);
	}
	if (n > 0) {
		e = recorder_record(r, 0);
		if (e == 0)
			recorder_save_jobs(r);
	}
	recorder_leave(r);
	return e < 0 ? e : n > 0 ? 0 : -ENOENT;
}
