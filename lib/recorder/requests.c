/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - record marks and begins and ends of jobs; pending requests share a record group */
#include "recorder/requests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "base/listener.h"
#include "base/names.h"
#include "figures/allocation.h"
#include "formats/raw_write.h"
#include "recorder/job_exports.h"
#include "schema/marks.h"
#include "schema/type.h"

/*
 * us; a begin from a hook this long after the job's previous begin, without an end in between,
 * begins the job's next run: the job was requeued and its end was lost. A begin that comes sooner
 * is a repetition.
 */
#define AGAIN_US     60000000

static void requests_add_mark(struct recorder *r, const char *verb, struct str text)
{
	struct buf mark CLEANUP(buf_free) = { 0 };
	buf_addf(&mark, "%s " STR_FMT, verb, STR_ARG(text));
	raw_put_mark(&r->marks, buf_str(&mark));
}

static void requests_add_job_mark(struct recorder *r, const char *verb, struct str id,
				  const char *source, struct str attributes)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_addf(&text, STR_FMT " source=%s", STR_ARG(id), source);
	if (attributes.n)
		buf_addf(&text, " " STR_FMT, STR_ARG(attributes));
	requests_add_mark(r, verb, buf_str(&text));
}

static void job_set_name(char *to, size_t size, struct str name)
{
	if (name.n && name.n < size)
		str_copy(to, size, name);
}

static void job_set_attributes(struct job *job, const struct attributes *a)
{
	struct str value = a->uid;
	bool has[GPUS_MAX];
	uint64_t uid;
	if (a->gpus.n && a->gpus.n < sizeof(job->gpus) && gpu_list(a->gpus, has) == 0)
		str_copy(job->gpus, sizeof(job->gpus), a->gpus);
	if (str_is_u64(value) && str_take_u64(&value, &uid) && uid < UINT32_MAX)
		job->uid = (int64_t)uid;
	job_set_name(job->user, sizeof(job->user), a->user);
	job_set_name(job->account, sizeof(job->account), a->account);
}

/* A hook now reports this job, which was begun for its cgroup, and will report its end. */
static void job_take_over_by_hook(struct recorder *r, struct job *job, const struct request *q,
				  struct str attributes)
{
	job->source = JOB_FROM_HOOK;
	job->hooked_us = realtime_us();
	job_set_attributes(job, &q->known);
	requests_add_job_mark(r, "attributes", str_of(job->id), job_source_names[JOB_FROM_HOOK],
			      attributes);
}

/* Mark the begin. Start a summary only in an agent: a single run will not see the job's end. */
static void job_mark_begin(struct recorder *r, const struct request *q, struct str attributes,
			   int64_t now)
{
	requests_add_job_mark(r, "begin", q->id, job_source_names[q->source], attributes);
	if (recorder_is_agent(r))
		job_summary_begin(&r->summary, q->id, now);
}

/* Take the counters back from a job and add a mark. Returns false if the job had no counters. */
static bool job_take_counters_back(struct recorder *r, struct job *job)
{
	bool had = job->released;
	job->released = false;
	if (had)
		requests_add_mark(r, mark_verbs[MARK_ACQUIRE], str_of(job->id));
	return had;
}

/* Add an end mark; job is NULL if unknown. The record group with the mark still lists the job. */
static void job_mark_end(struct recorder *r, struct job *job, struct str id, const char *source,
			 struct str attributes)
{
	requests_add_job_mark(r, "end", id, source, attributes);
	if (job)
		job_take_counters_back(r, job);
	job_summary_end(&r->summary, id);
}

static void job_put_summary(struct recorder *r, struct str id, int64_t end_us)
{
	struct factors factors CLEANUP(factors_free) = { 0 };
	if (factors_read_site(&factors, r->config->advice, r->listener) < 0)
		factors_free(&factors);	/* make the summary without costs */
	r->ended.n = 0;
	job_summary_put(&r->summary, id, r->host.name, end_us, &factors, &r->ended);
}

/* Remove a job and make its summary. Only the agent knows whether the job's cgroup is gone. */
static void job_forget(struct recorder *r, struct str id)
{
	struct job job;
	if (jobs_end(&r->jobs, id, r->persistent.last_us, !recorder_is_agent(r), &job) < 0)
		say_debug(r->listener, "job %s has ended and was not begun here", job.id);
	job_put_summary(r, str_of(job.id), r->persistent.last_us);
	job_summary_forget(&r->summary, str_of(job.id));
	job_exports_end(r->config, r->listener, &job, r->host.name, buf_str(&r->ended));
}

/* Append the id of a begin request. The end marks of the jobs that this begin ends get this id. */
static void request_put_id(struct buf *to, struct str attributes)
{
	struct str request = mark_request(attributes);
	if (request.n)
		buf_addf(to, "%s" MARK_REQUEST_KEY STR_FMT, to->n ? " " : "", STR_ARG(request));
}

/* Whether a job has a cgroup, or whether its user has a process; see job_end_earlier(). */
enum has { NONE, SOME, UNKNOWN };

static const struct type_state *requests_find_type_job(const struct recorder *r)
{
	const struct sampler *s = &r->sampler;
	for (size_t i = 0; i < n_collectors; i++)
		if (collectors[i]->type == &job_type && s->type[i].on)
			return &s->type[i];
	return NULL;
}

/* Look for the job's cgroup: in an agent in job->grouped, otherwise in the newest sample. */
static enum has job_has_group(const struct recorder *r, const struct job *job)
{
	if (job->grouped && !job->gone_us)
		return SOME;
	if (recorder_is_agent(r) && r->config->job_cgroups)
		return NONE;
	const struct type_state *t = requests_find_type_job(r);
	if (!t || !r->sampled || r->marks_only || (t->result < 0 && t->result != -ENOENT))
		return UNKNOWN;
	for (size_t i = 0; t->result == 0 && i < t->source.rows.n; i++)
		if (str_eq(rows_device(&t->source.rows, i), str_of(job->id)))
			return SOME;
	return NONE;
}

/* Returns UNKNOWN if /proc hides the processes of other users, see hidepid in proc(5). */
static enum has user_has_process(const struct recorder *r, int64_t uid)
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

static bool job_has_left(const struct recorder *r, const struct job *job)
{
	if (job_has_group(r, job) != NONE)
		return false;
	if (job->uid < 0)
		return r->config->exclusive_jobs;
	return user_has_process(r, job->uid) == NONE;
}

static void job_end_for_later(struct recorder *r, struct job *job, struct str later,
			      struct str attributes)
{
	struct buf by CLEANUP(buf_free) = { 0 };
	say_notice(r->listener,
		   "job %s has ended: no hook reported it, but job " STR_FMT " has the node "
		   "exclusively", job->id, STR_ARG(later));
	buf_addf(&by, "by=" STR_FMT, STR_ARG(later));
	request_put_id(&by, attributes);
	job_mark_end(r, job, str_of(job->id), "later-begin", buf_str(&by));
	job->ends = true;
}

/*
 * If the new job has the node alone (by its attribute exclusive=yes or the configuration), end
 * earlier jobs whose end was lost: jobs that a hook has begun, that have no cgroup, and whose user
 * has no process. A suspended job still has both. If the user is unknown, the configuration must
 * say that each job has its node alone.
 */
static void job_end_earlier(struct recorder *r, const struct request *q, int64_t at)
{
	if (!r->config->exclusive_jobs && !str_eq(q->known.exclusive, STR("yes")))
		return;
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct job *job = &r->jobs.job[i];
		bool earlier = job->source == JOB_FROM_HOOK && job->hooked_us < at && !job->ends;
		if (earlier && !str_eq(str_of(job->id), q->id) && job_has_left(r, job))
			job_end_for_later(r, job, q->id, q->attributes);
	}
}

static void job_forget_earlier(struct recorder *r)
{
	char id[JOB_ID_MAX + 1];
	for (size_t i = r->jobs.n; i-- > 0; ) {
		if (!r->jobs.job[i].ends)
			continue;
		str_copy(id, sizeof(id), str_of(r->jobs.job[i].id));
		job_forget(r, str_of(id));
		jobs_note_later(&r->jobs, str_of(id));
		r->persistent.ended_later++;
	}
}

/* End the last run of a job and begin the next. Returns -EEXIST if the last run goes on. */
static int job_begin_next_run(struct recorder *r, const struct request *q, int64_t now)
{
	struct buf identity CLEANUP(buf_free) = { 0 };
	struct str id = q->id;
	struct job *job = jobs_get(&r->jobs, id);
	bool soon = !job->gone_us && now - job->hooked_us < AGAIN_US;
	if (!job->ends && (job->source != JOB_FROM_HOOK || soon))
		return -EEXIST;
	bool grouped = job->grouped && !job->gone_us;
	request_put_id(&identity, q->attributes);
	if (!job->ends)
		job_mark_end(r, job, id, job_source_names[JOB_FROM_HOOK], buf_str(&identity));
	job_forget(r, id);
	int e = jobs_add(&r->jobs, id, now, JOB_FROM_HOOK);
	if (e == 0)
		jobs_get(&r->jobs, id)->grouped = grouped;
	return e;
}

/* Begin a job once, even if a hook, the job file and a cgroup all report the begin. */
static int job_begin(struct recorder *r, const struct request *q, struct str attributes,
		     int64_t at)
{
	bool hook = q->source == JOB_FROM_HOOK;
	if (q->source != JOB_FROM_FILE)
		job_end_earlier(r, q, at);
	int known = jobs_add(&r->jobs, q->id, at, q->source);
	if (known == -EEXIST && hook)
		known = job_begin_next_run(r, q, at);
	struct job *job = known == 0 ? &r->jobs.job[r->jobs.n - 1] : jobs_get(&r->jobs, q->id);
	if (known == 0) {
		job->grouped |= q->source == JOB_FROM_CGROUP;
		job_set_attributes(job, &q->known);
		job_mark_begin(r, q, attributes, at);
	} else if (known == -EEXIST && hook && job->source == JOB_FROM_CGROUP) {
		job_take_over_by_hook(r, job, q, attributes);
	}
	return known;
}

/* Return true if the end was marked in the last hour, or ever if a later job's begin implied it. */
static bool job_has_ended(const struct recorder *r, struct str id)
{
	const struct ended *e = jobs_ended_since(&r->jobs, id, 0);
	return e && (e->later || jobs_ended_since(&r->jobs, id, realtime_us() - JOB_LATE_US));
}

static int job_end(struct recorder *r, struct str id, enum job_source source,
		   struct str attributes)
{
	struct job *job = jobs_get(&r->jobs, id);
	if (job ? job->ends : source != JOB_FROM_HOOK || job_has_ended(r, id))
		return -EALREADY;
	job_mark_end(r, job, id, job_source_names[source], attributes);
	return job ? 0 : -ENOENT;
}

#define LATE_US  1000000	/* age of a request from which on its mark has "at=" and a time */
#define DRAIN_MS 200		/* timeout for the jobs lock */

/* Append the attributes and, if the request is at least LATE_US old, "at=" and its time. */
static void request_put_attributes(const struct request *q, int64_t now, struct buf *to)
{
	buf_add(to, q->attributes);
	if (q->usec && now - q->usec >= LATE_US) {
		buf_addf(to, "%sat=", to->n ? " " : "");
		buf_add_time(to, q->usec);
	}
}

/* Return true if q[0..n) contains `one`: a hook and its helper may leave the same request. */
static bool request_is_among(const struct request *q, size_t n, const struct request *one)
{
	struct str request = n ? mark_request(one->text) : STR("");
	for (size_t i = 0; i < n && request.n; i++)
		if (q[i].result != -EINVAL && q[i].what == one->what &&
		    str_eq(q[i].id, one->id) && str_eq(mark_request(q[i].text), request))
			return true;
	return false;
}

/* Return the result of a request that needs no mark, because it repeats an earlier request. */
static int request_repeated_result(const struct request *q)
{
	static const int results[] = {
		[REQUEST_MARK] = 0, [REQUEST_BEGIN] = -EEXIST, [REQUEST_END] = -EALREADY,
	};
	return results[q->what];
}

static void requests_apply(struct recorder *r, struct request *q)
{
	struct buf attributes CLEANUP(buf_free) = { 0 };
	int64_t now = realtime_us();
	if (q->what == REQUEST_MARK) {
		raw_put_mark(&r->marks, q->text);
		return;
	}
	request_put_attributes(q, now, &attributes);
	struct str known = buf_str(&attributes);
	if (q->what == REQUEST_BEGIN)
		q->result = job_begin(r, q, known, q->usec && q->usec < now ? q->usec : now);
	else
		q->result = job_end(r, q->id, q->source, known);
}

/* Return true if one of q[0..n) ends the job. A later begin then takes a new record group. */
static bool requests_end_job(const struct request *q, size_t n, struct str id)
{
	for (size_t i = 0; i < n; i++)
		if (q[i].what == REQUEST_END && q[i].result != -EINVAL && str_eq(q[i].id, id))
			return true;
	return false;
}

/* Return true if q[i] repeats an earlier request, or ends a job that an earlier request ends. */
static bool request_is_repeated(const struct request *q, size_t i)
{
	return request_is_among(q, i, &q[i]) ||
	       (q[i].what == REQUEST_END && requests_end_job(q, i, q[i].id));
}

static size_t requests_count_group(const struct request *q, size_t n)
{
	size_t i = 1;
	while (i < n && !(q[i].what == REQUEST_BEGIN && requests_end_job(q, i, q[i].id)))
		i++;
	return i;
}

/* Add jobs that end without a known begin to the jobs of the record group. */
static void requests_add_extra_jobs(struct recorder *r, const struct request *q, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (q[i].what == REQUEST_END && q[i].result == -ENOENT)
			buf_addf(&r->extra_jobs, "," STR_FMT, STR_ARG(q[i].id));
}

/* Finish a request after its record group was written or is safe in memory. */
static void requests_finish(struct recorder *r, struct request *q)
{
	if (q->what == REQUEST_BEGIN && q->source == JOB_FROM_HOOK &&
	    (q->result == 0 || q->result == -EEXIST))
		job_exports_begin(r->config, r->listener, q->id, &q->known);
	if (q->what != REQUEST_END)
		return;
	if (q->result == -EALREADY)
		job_put_summary(r, q->id, 0);
	else
		job_forget(r, q->id);
	buf_add(&q->summary, buf_str(&r->ended));
}

static bool requests_change_jobs(const struct request *q, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (q[i].result != -EINVAL && q[i].what != REQUEST_MARK)
			return true;
	return false;
}

/* Return e, or -EIO if callers would take e for the result of a mark. */
static int requests_error(struct recorder *r, const char *dir, int e)
{
	if (e != -ENOENT && e != -EEXIST && e != -EALREADY)
		return e;
	say_error(r->listener, "%s: %s", dir, strerror(-e));
	return -EIO;
}

static int requests_mark_group(struct recorder *r, struct request *q, size_t n)
{
	r->marks.n = r->extra_jobs.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (q[i].result == -EINVAL)
			continue;
		if (request_is_repeated(q, i))
			q[i].result = request_repeated_result(&q[i]);
		else
			requests_apply(r, &q[i]);
	}
	requests_add_extra_jobs(r, q, n);
	int e = requests_error(r, r->config->dir, recorder_record(r, 0));
	for (size_t i = 0; i < n && e == 0; i++)
		if (q[i].result != -EINVAL)
			requests_finish(r, &q[i]);
	if (e == 0)
		job_forget_earlier(r);
	if (e == 0 && requests_change_jobs(q, n))
		recorder_save_jobs(r);
	for (size_t i = 0; i < n && e < 0; i++)
		q[i].result = q[i].result == -EINVAL ? -EINVAL : e;
	return e;
}

/* Return when a request was made, from its request id. Older hooks send no request id. */
static int64_t request_made_us(const struct request *q)
{
	int64_t usec = mark_request_usec(mark_request(q->text)), now = realtime_us();
	return usec < now ? usec : now;
}

/* Leave a request in the spool. The next process that takes the jobs lock records it. */
static int requests_leave_one(struct recorder *r, struct request *q)
{
	struct request left = *q;
	left.usec = q->usec ? q->usec : request_made_us(q);
	int e = request_leave(&r->spool, &left, q->left);
	if (e < 0)
		q->left[0] = '\0';
	return requests_error(r, r->config->runtime_dir, e);
}

static int requests_leave_for_others(struct recorder *r, struct request *q)
{
	int e = q->left[0] ? 0 : requests_leave_one(r, q);
	if (e < 0)
		return e;
	if (q->what == REQUEST_END) {
		struct job *job = jobs_get(&r->jobs, q->id);
		if (job)
			job->end_left = true;
		job_put_summary(r, q->id, 0);
		buf_add(&q->summary, buf_str(&r->ended));
	}
	return REQUEST_LEFT;
}

static void requests_note_lost(struct recorder *r, const struct request *q)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	request_put(q, &text);
	r->persistent.marks_lost++;
	say_error(r->listener, "\"" STR_FMT "\" is not marked: cannot store it in %s/marks: %s",
		  STR_ARG(mark_without_request(buf_str(&text))), r->config->runtime_dir,
		  strerror(-q->result));
}

/* Leave requests that could not be recorded. Returns 0, or -errno if one of them is lost. */
static int requests_leave_all(struct recorder *r, struct request *q, size_t n)
{
	int e = 0;
	for (size_t i = 0; i < n; i++) {
		if (q[i].result == -EINVAL)
			continue;
		q[i].result = requests_leave_for_others(r, &q[i]);
		if (q[i].result < 0) {
			requests_note_lost(r, &q[i]);
			e = q[i].result;
		}
	}
	return e;
}

/* Memory is full: leave requests, and all later requests, in the spool to keep their order. */
static int requests_leave_without_room(struct recorder *r, struct request *q, size_t n)
{
	if (!r->marks_left)
		say_warning(r->listener, "memory is full of record groups that cannot be written; "
			    "marks wait in %s/marks", r->config->runtime_dir);
	r->marks_left = true;
	return requests_leave_all(r, q, n);
}

/*
 * Return true if a request must be saved in the spool before it is recorded, to survive a kill. A
 * hook without an agent, or for another archive than the agent's, has saved its request already.
 */
static bool request_needs_spool(const struct recorder *r, const struct request *q)
{
	return r->entered && q->result == 0 && q->what != REQUEST_MARK && !q->left[0] &&
	       (recorder_is_agent(r) || q->source != JOB_FROM_HOOK);
}

int recorder_mark_all(struct recorder *r, struct request *q, size_t n)
{
	size_t together, at;
	int e = 0;
	if (r->marks_left)
		return requests_leave_all(r, q, n);
	for (size_t i = 0; i < n; i++)
		if (request_needs_spool(r, &q[i]) && requests_leave_one(r, &q[i]) < 0)
			say_debug(r->listener, "a mark would be lost if this process died");
	for (at = 0; at < n; at += together) {
		together = requests_count_group(q + at, n - at);
		e = requests_mark_group(r, q + at, together);
		if (e != 0)
			break;
	}
	if (e == -ENOBUFS)
		e = requests_leave_without_room(r, q + at, n - at);
	for (size_t i = 0; i < n && e == 0; i++)
		if (q[i].left[0] && q[i].result != REQUEST_LEFT) {
			spool_remove(&r->spool, q[i].left);
			q[i].left[0] = '\0';
		}
	return e;
}

int recorder_requests(struct recorder *r, struct request *q, size_t n)
{
	size_t valid = 0;
	int e = 0;
	for (size_t i = 0; i < n; i++) {
		q[i].result = request_check(&q[i]);
		valid += q[i].result == 0;
	}
	if (valid == 0)
		return 0;
	if (r->marks_left)
		return requests_leave_all(r, q, n);
	if (requests_change_jobs(q, n))
		e = requests_error(r, r->config->runtime_dir, recorder_enter(r, true));
	else
		recorder_look(r);
	if (e < 0 && recorder_is_agent(r))
		return requests_leave_all(r, q, n);
	if (e == 0)
		e = recorder_mark_all(r, q, n);
	recorder_leave(r);
	return e;
}

static int requests_run_one(struct recorder *r, enum request_what what, struct str text)
{
	struct request q = { .what = what, .text = text };
	int e = recorder_requests(r, &q, 1);
	if (what == REQUEST_END && e < 0 && q.id.n)
		/* no summary was collected: store one without figures */
		job_put_summary(r, q.id, 0);
	buf_free(&q.summary);
	return e < 0 ? e : q.result;
}

int recorder_mark(struct recorder *r, struct str text)
{
	return requests_run_one(r, REQUEST_MARK, text);
}

int recorder_begin(struct recorder *r, struct str job)
{
	return requests_run_one(r, REQUEST_BEGIN, job);
}

int recorder_end(struct recorder *r, struct str job)
{
	return requests_run_one(r, REQUEST_END, job);
}

static void request_copy_result(struct request *to, struct request *from)
{
	to->result = from->result;
	buf_add(&to->summary, buf_str(&from->summary));
}

static int requests_mark_left(struct recorder *r, struct spooled *all, size_t n, const char *name,
			      struct request *wanted)
{
	struct request *q = xrealloc(NULL, n * sizeof(*q));
	for (size_t i = 0; i < n; i++) {
		if (request_take(buf_str(&all[i].text), &q[i]))
			q[i].usec = all[i].usec;
		else
			/* skip a file whose text is not a request */
			q[i] = (struct request){ .text = STR("") };
		str_copy(q[i].left, sizeof(q[i].left), str_of(all[i].name));
	}
	int e = recorder_requests(r, q, n);
	for (size_t i = 0; i < n; i++) {
		if (wanted && strcmp(name, all[i].name) == 0)
			request_copy_result(wanted, &q[i]);
		if (e == 0 && q[i].left[0] && q[i].result != REQUEST_LEFT)
			spool_remove(&r->spool, q[i].left);
		buf_free(&q[i].summary);
	}
	free(q);
	return e < 0 ? e : r->marks_left ? -ENOBUFS : (int)n;
}

/* Record the oldest requests of the spool. Returns the number recorded, or -errno. */
static int requests_drain_oldest(struct recorder *r, const char *name, struct request *wanted)
{
	struct spooled *all;
	size_t n;
	int unread = spool_read(&r->spool, &all, &n);
	int e = n ? requests_mark_left(r, all, n, name, wanted) : 0;
	spooled_free(all, n);
	return e < 0 || unread == 0 ? e : unread;
}

static int requests_drain(struct recorder *r, const char *name, struct request *wanted)
{
	int marked = 0, n, e = recorder_write_left(r);
	if (e < 0)
		say_debug(r->listener, "groups that wait in %s/marks: %s", r->config->runtime_dir,
			  strerror(-e));
	r->marks_left = false;
	do {
		n = requests_drain_oldest(r, name, wanted);
		marked += n > 0 ? n : 0;
	} while (n == SPOOL_READ_MAX && recorder_is_agent(r));
	if (marked && recorder_is_agent(r))
		say_info(r->listener, "%d marks that waited in %s/marks were recorded", marked,
			 r->config->runtime_dir);
	return n < 0 ? n : marked;
}

int recorder_drain(struct recorder *r, const char *name, struct request *wanted)
{
	struct spool *s = &r->spool;
	bool locked = s->locked;
	if (r->marks_left && r->to.full)
		/* memory is still full */
		return -ENOBUFS;
	int e = locked ? 0 : recorder_lock(r, DRAIN_MS);
	if (e < 0)
		return e == -ETIMEDOUT ? -EBUSY : requests_error(r, r->config->runtime_dir, e);
	e = requests_drain(r, name, wanted);
	if (!locked)
		spool_unlock(s);
	return e;
}

/* Write a record group with the last values of the counters, and release them to a job. */
static int requests_release_counters(struct recorder *r, struct job *job)
{
	requests_add_mark(r, mark_verbs[MARK_RELEASE], str_of(job->id));
	int e = recorder_record(r, 0);
	if (e < 0)
		return e;
	job->released = true;
	recorder_save_jobs(r);
	return 0;
}

int recorder_release(struct recorder *r, struct str id)
{
	if (!job_id_valid(id))
		return -EINVAL;
	int e = recorder_enter(r, false);
	if (e < 0)
		return e;
	struct job *job = jobs_get(&r->jobs, id);
	int known = !job ? -ENOENT : job->released ? -EALREADY : 0;
	if (known == 0)
		e = requests_release_counters(r, job);
	counters_choose(&r->sampler, &r->jobs, !recorder_is_agent(r));
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
	int e = recorder_enter(r, false);
	if (e < 0)
		return e;
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct job *job = &r->jobs.job[i];
		if (id.n == 0 || str_eq(id, str_of(job->id)))
			n += job_take_counters_back(r, job);
	}
	if (n > 0) {
		e = recorder_record(r, 0);
		if (e == 0)
			recorder_save_jobs(r);
	}
	recorder_leave(r);
	return e < 0 ? e : n > 0 ? 0 : -ENOENT;
}
