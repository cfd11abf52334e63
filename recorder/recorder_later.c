/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_later.c - a job whose end was lost ends when a later one has the node alone */
#include "recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "recorder/recorder_steps.h"
#include "recorder/attributes.h"
#include "base/listener.h"
#include "base/names.h"
#include "schema/type.h"

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
	if (r->out.keep && r->config->job_cgroups)
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

static bool has_ended(const struct recorder *r, const struct job *job)
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
	job_put_identity(&by, attributes);
	job_mark_end(r, str_of(job->id), "later-begin", buf_str(&by));
	job->ends = true;
}

void job_end_earlier(struct recorder *r, struct str id, struct str attributes, int64_t at)
{
	if (!r->config->exclusive_jobs &&
	    !str_eq(attributes_get(attributes, STR("exclusive")), STR("yes")))
		return;
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct job *job = &r->jobs.job[i];
		bool earlier = job->source == JOB_FROM_HOOK && job->hooked_us < at && !job->ends;
		if (earlier && !str_eq(str_of(job->id), id) && has_ended(r, job))
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
