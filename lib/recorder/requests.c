/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - what is asked to be marked: jobs begin and end; all that wait share one group */
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

static const char *const verbs[] = {
	[REQUEST_MARK] = "mark", [REQUEST_BEGIN] = "begin", [REQUEST_END] = "end",
};

/* Readers take such a text for a mark of a job or of counters. */
static bool is_our_mark(struct str text)
{
	struct str word;
	return !str_take_word(&text, &word) || str_eq(word, STR("begin")) ||
	       str_eq(word, STR("end")) || str_eq(word, STR("attributes")) ||
	       str_starts(word, STR(MARK_COUNTERS_PREFIX));
}

int request_check(struct request *q)
{
	struct str text = str_trim(q->text), id;
	if (q->what == REQUEST_MARK)
		return is_our_mark(q->text) ? -EINVAL : 0;
	if (!str_take_word(&text, &id) || !job_id_valid(id) || !attributes_read(text, &q->known))
		return -EINVAL;
	q->id = id;
	q->attributes = str_trim(text);
	return 0;
}

void request_put(const struct request *q, struct buf *to)
{
	if (q->source != JOB_FROM_HOOK)
		buf_addf(to, "%s ", job_source_names[q->source]);
	buf_addf(to, "%s " STR_FMT, verbs[q->what], STR_ARG(q->text));
}

int request_leave(struct spool *s, const struct request *q, char *name)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	request_put(q, &text);
	return text.n > SPOOL_MARK_MAX ? -EMSGSIZE :
		spool_leave(s, q->usec, buf_str(&text), name);
}

bool request_take(struct str text, struct request *ret)
{
	enum job_source source = JOB_FROM_HOOK;
	struct str verb, rest = text;
	size_t what = 0;
	if (str_take_word(&rest, &verb) && job_source_find(verb, &source))
		text = rest;
	else
		source = JOB_FROM_HOOK;
	if (!str_take_word(&text, &verb))
		return false;
	while (what < ARRAY_SIZE(verbs) && !str_eq(verb, str_of(verbs[what])))
		what++;
	if (what == ARRAY_SIZE(verbs))
		return false;
	*ret = (struct request){ .what = (enum request_what)what, .source = source,
				 .text = str_trim(text) };
	return true;
}

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

static void note_name(char *to, size_t size, struct str name)
{
	if (name.n && name.n < size)
		str_copy(to, size, name);
}

static void note_attributes(struct job *job, const struct attributes *a)
{
	struct str value = a->uid;
	bool has[GPUS_MAX];
	uint64_t uid;
	if (a->gpus.n && a->gpus.n < sizeof(job->gpus) && gpu_list(a->gpus, has) == 0)
		str_copy(job->gpus, sizeof(job->gpus), a->gpus);
	if (str_is_u64(value) && str_take_u64(&value, &uid) && uid < UINT32_MAX)
		job->uid = (int64_t)uid;
	note_name(job->user, sizeof(job->user), a->user);
	note_name(job->account, sizeof(job->account), a->account);
}

/* A hook comes second to a control group: from then on its end counts, and what it knows. */
static void take_over(struct recorder *r, struct job *job, const struct request *q,
		      struct str attributes)
{
	job->source = JOB_FROM_HOOK;
	job->hooked_us = realtime_us();
	note_attributes(job, &q->known);
	add_job_mark(r, "attributes", str_of(job->id), job_source_names[JOB_FROM_HOOK], attributes);
}

/* A process that records one begin alone will not see the end. */
static void mark_begin(struct recorder *r, const struct request *q, struct str attributes,
		       int64_t now)
{
	add_job_mark(r, "begin", q->id, job_source_names[q->source], attributes);
	if (recorder_is_agent(r))
		job_summary_begin(&r->summary, q->id, now);
}

/* The job is to have the counters no more: a mark says so. False: it had none. */
static bool take_back(struct recorder *r, struct job *job)
{
	bool had = job->released;
	job->released = false;
	if (had)
		add_mark(r, mark_verbs[MARK_ACQUIRE], str_of(job->id));
	return had;
}

/* The group still belongs to the job, the next one does not. NULL: it was not known. */
static void mark_end(struct recorder *r, struct job *job, struct str id, const char *source,
		     struct str attributes)
{
	add_job_mark(r, "end", id, source, attributes);
	if (job)
		take_back(r, job);
	job_summary_end(&r->summary, id);
}

static void job_put_summary(struct recorder *r, struct str id, int64_t end_us)
{
	struct factors factors CLEANUP(factors_free) = { 0 };
	if (factors_read_site(&factors, r->config->advice, r->listener) < 0)
		factors_free(&factors);	/* there is a summary all the same */
	r->ended.n = 0;
	job_summary_put(&r->summary, id, r->host.name, end_us, &factors, &r->ended);
}

/* The job is known no more, but its end is. Only an agent sees groups. */
static void job_forget(struct recorder *r, struct str id)
{
	struct job job;
	if (jobs_end(&r->jobs, id, r->last_us, !recorder_is_agent(r), &job) < 0)
		say_debug(r->listener, "job %s has ended and was not begun here", job.id);
	job_put_summary(r, str_of(job.id), r->last_us);
	job_summary_forget(&r->summary, str_of(job.id));
	job_exports_end(r->config, r->listener, &job, r->host.name, buf_str(&r->ended));
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
	if (recorder_is_agent(r) && r->config->job_cgroups)
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
	mark_end(r, job, str_of(job->id), "later-begin", buf_str(&by));
	job->ends = true;
}

static void end_earlier(struct recorder *r, const struct request *q, int64_t at)
{
	if (!r->config->exclusive_jobs && !str_eq(q->known.exclusive, STR("yes")))
		return;
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct job *job = &r->jobs.job[i];
		bool earlier = job->source == JOB_FROM_HOOK && job->hooked_us < at && !job->ends;
		if (earlier && !str_eq(str_of(job->id), q->id) && has_left(r, job))
			end_by(r, job, q->id, q->attributes);
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
		r->ended_later++;
	}
}

/* Where its last run has not ended, that ends now: -EEXIST, or what jobs_add() says of the next. */
static int add_next_run(struct recorder *r, const struct request *q, int64_t now)
{
	struct buf identity CLEANUP(buf_free) = { 0 };
	struct str id = q->id;
	struct job *job = jobs_get(&r->jobs, id);
	bool soon = !job->gone_us && now - job->hooked_us < AGAIN_US;
	if (!job->ends && (job->source != JOB_FROM_HOOK || soon))
		return -EEXIST;
	bool grouped = job->grouped && !job->gone_us;
	put_identity(&identity, q->attributes);
	if (!job->ends)
		mark_end(r, job, id, job_source_names[JOB_FROM_HOOK], buf_str(&identity));
	job_forget(r, id);
	int e = jobs_add(&r->jobs, id, now, JOB_FROM_HOOK);
	if (e == 0)
		jobs_get(&r->jobs, id)->grouped = grouped;
	return e;
}

/* A job that was found by its control group or the job file is begun once, whoever was first. */
static int job_begin(struct recorder *r, const struct request *q, struct str attributes,
		     int64_t at)
{
	bool hook = q->source == JOB_FROM_HOOK;
	if (q->source != JOB_FROM_FILE)
		end_earlier(r, q, at);
	int known = jobs_add(&r->jobs, q->id, at, q->source);
	if (known == -EEXIST && hook)
		known = add_next_run(r, q, at);
	struct job *job = known == 0 ? &r->jobs.job[r->jobs.n - 1] : jobs_get(&r->jobs, q->id);
	if (known == 0) {
		job->grouped |= q->source == JOB_FROM_CGROUP;
		note_attributes(job, &q->known);
		mark_begin(r, q, attributes, at);
	} else if (known == -EEXIST && hook && job->source == JOB_FROM_CGROUP) {
		take_over(r, job, q, attributes);
	}
	return known;
}

/* A job that ended by a later begin stays so, however late its hook comes. */
static bool has_ended(const struct recorder *r, struct str id)
{
	const struct ended *e = jobs_ended_since(&r->jobs, id, 0);
	return e && (e->later || jobs_ended_since(&r->jobs, id, realtime_us() - JOB_LATE_US));
}

static int job_end(struct recorder *r, struct str id, enum job_source source,
		   struct str attributes)
{
	struct job *job = jobs_get(&r->jobs, id);
	if (job ? job->ends : source != JOB_FROM_HOOK || has_ended(r, id))
		return -EALREADY;
	mark_end(r, job, id, job_source_names[source], attributes);
	return job ? 0 : -ENOENT;
}

#define LATE_US  1000000	/* from then on a mark has a time of its own */
#define DRAIN_MS 200		/* so long the agent waits for a hook that is at it */

/* The attributes, and the time at which it was asked for, where that is long ago. */
static void put_attributes(const struct request *q, int64_t now, struct buf *to)
{
	buf_add(to, q->attributes);
	if (q->usec && now - q->usec >= LATE_US) {
		buf_addf(to, "%sat=", to->n ? " " : "");
		buf_add_time(to, q->usec);
	}
}

/* The same request twice: a hook gave up and left it for others, and so did who was asked first. */
static bool is_among(const struct request *q, size_t n, const struct request *one)
{
	struct str request = n ? mark_request(one->text) : STR("");
	for (size_t i = 0; i < n && request.n; i++)
		if (q[i].result != -EINVAL && q[i].what == one->what &&
		    str_eq(q[i].id, one->id) && str_eq(mark_request(q[i].text), request))
			return true;
	return false;
}

/* Nothing is to be marked, since it is among those before. */
static int repeated(const struct request *q)
{
	static const int results[] = {
		[REQUEST_MARK] = 0, [REQUEST_BEGIN] = -EEXIST, [REQUEST_END] = -EALREADY,
	};
	return results[q->what];
}

static void apply(struct recorder *r, struct request *q)
{
	struct buf attributes CLEANUP(buf_free) = { 0 };
	int64_t now = realtime_us();
	if (q->what == REQUEST_MARK) {
		raw_put_mark(&r->marks, q->text);
		return;
	}
	put_attributes(q, now, &attributes);
	struct str known = buf_str(&attributes);
	if (q->what == REQUEST_BEGIN)
		q->result = job_begin(r, q, known, q->usec && q->usec < now ? q->usec : now);
	else
		q->result = job_end(r, q->id, q->source, known);
}

/* A job that ended among these and begins again is one of the next group. */
static bool ends_among(const struct request *q, size_t n, struct str id)
{
	for (size_t i = 0; i < n; i++)
		if (q[i].what == REQUEST_END && q[i].result != -EINVAL && str_eq(q[i].id, id))
			return true;
	return false;
}

/* The same request again, or the second end of a job: no begin is between two in one group. */
static bool is_repeated(const struct request *q, size_t i)
{
	return is_among(q, i, &q[i]) ||
	       (q[i].what == REQUEST_END && ends_among(q, i, q[i].id));
}

static size_t count_together(const struct request *q, size_t n)
{
	size_t i = 1;
	while (i < n && !(q[i].what == REQUEST_BEGIN && ends_among(q, i, q[i].id)))
		i++;
	return i;
}

/* An end without a begin belongs to the group as well. */
static void put_strays(struct recorder *r, const struct request *q, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (q[i].what == REQUEST_END && q[i].result == -ENOENT)
			buf_addf(&r->strays, "," STR_FMT, STR_ARG(q[i].id));
}

/* The group is written or safe. */
static void finish(struct recorder *r, struct request *q)
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

static bool changes_jobs(const struct request *q, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (q[i].result != -EINVAL && q[i].what != REQUEST_MARK)
			return true;
	return false;
}

/* The error of a folder: -ENOENT, -EEXIST and -EALREADY say that a job is marked, and how known. */
static int not_marked(struct recorder *r, const char *dir, int e)
{
	if (e != -ENOENT && e != -EEXIST && e != -EALREADY)
		return e;
	say_error(r->listener, "%s: %s", dir, strerror(-e));
	return -EIO;
}

static int mark_together(struct recorder *r, struct request *q, size_t n)
{
	r->marks.n = r->strays.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (q[i].result == -EINVAL)
			continue;
		if (is_repeated(q, i))
			q[i].result = repeated(&q[i]);
		else
			apply(r, &q[i]);
	}
	put_strays(r, q, n);
	int e = not_marked(r, r->config->dir, recorder_record(r, 0));
	for (size_t i = 0; i < n && e == 0; i++)
		if (q[i].result != -EINVAL)
			finish(r, &q[i]);
	if (e == 0)
		job_forget_earlier(r);
	if (e == 0 && changes_jobs(q, n))
		recorder_save_jobs(r);
	for (size_t i = 0; i < n && e < 0; i++)
		q[i].result = q[i].result == -EINVAL ? -EINVAL : e;
	return e;
}

/* A request at the socket says itself when it was made, if its hook is no older one. */
static int64_t asked_us(const struct request *q)
{
	int64_t usec = mark_request_usec(mark_request(q->text)), now = realtime_us();
	return usec < now ? usec : now;
}

/* The same as a hook does that finds no agent: the next who has the lock marks it. */
static int leave_one(struct recorder *r, struct request *q)
{
	struct request left = *q;
	left.usec = q->usec ? q->usec : asked_us(q);
	int e = request_leave(&r->spool, &left, q->left);
	if (e < 0)
		q->left[0] = '\0';
	return e;
}

static int leave_for_others(struct recorder *r, struct request *q)
{
	int e = leave_one(r, q);
	if (e < 0)
		return e;
	if (q->what == REQUEST_END) {
		job_put_summary(r, q->id, 0);
		buf_add(&q->summary, buf_str(&r->ended));
	}
	return REQUEST_LEFT;
}

/* Another process has the jobs for long. */
static int leave_all(struct recorder *r, struct request *q, size_t n)
{
	int e = 0;
	for (size_t i = 0; i < n; i++) {
		if (q[i].result < 0)
			continue;
		q[i].result = leave_for_others(r, &q[i]);
		e = q[i].result < 0 ? q[i].result : e;
	}
	return e;
}

/* A hook without an agent has left it already, or it is for an archive that is not the agent's. */
static bool is_left_ahead(const struct recorder *r, const struct request *q)
{
	return r->entered && q->result == 0 && q->what != REQUEST_MARK &&
	       (recorder_is_agent(r) || q->source != JOB_FROM_HOOK);
}

int recorder_mark_all(struct recorder *r, struct request *q, size_t n)
{
	size_t together;
	int e = 0;
	for (size_t i = 0; i < n; i++)
		if (is_left_ahead(r, &q[i]) && leave_one(r, &q[i]) < 0)
			say_debug(r->listener, "a mark is not safe from a kill while it is made");
	for (size_t at = 0; at < n && e == 0; at += together) {
		together = count_together(q + at, n - at);
		e = mark_together(r, q + at, together);
	}
	for (size_t i = 0; i < n && e == 0; i++)
		if (q[i].left[0])
			spool_remove(&r->spool, q[i].left);
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
	if (changes_jobs(q, n))
		e = not_marked(r, r->config->runtime_dir, recorder_enter(r, true));
	else
		recorder_look(r);
	if (e < 0 && recorder_is_agent(r))
		return leave_all(r, q, n);
	if (e == 0)
		e = recorder_mark_all(r, q, n);
	recorder_leave(r);
	return e;
}

static int ask_one(struct recorder *r, enum request_what what, struct str text)
{
	struct request q = { .what = what, .text = text };
	int e = recorder_requests(r, &q, 1);
	if (what == REQUEST_END && e < 0 && q.id.n)
		job_put_summary(r, q.id, 0);	/* for want of more */
	buf_free(&q.summary);
	return e < 0 ? e : q.result;
}

int recorder_mark(struct recorder *r, struct str text)
{
	return ask_one(r, REQUEST_MARK, text);
}

int recorder_begin(struct recorder *r, struct str job)
{
	return ask_one(r, REQUEST_BEGIN, job);
}

int recorder_end(struct recorder *r, struct str job)
{
	return ask_one(r, REQUEST_END, job);
}

static void hand_over(struct request *to, struct request *from)
{
	to->result = from->result;
	buf_add(&to->summary, buf_str(&from->summary));
}

static int mark_left(struct recorder *r, struct spooled *all, size_t n, const char *name,
		     struct request *own)
{
	struct request *q = xrealloc(NULL, n * sizeof(*q));
	for (size_t i = 0; i < n; i++) {
		if (request_take(buf_str(&all[i].text), &q[i]))
			q[i].usec = all[i].usec;
		else
			q[i] = (struct request){ .text = STR("") };	/* no request */
	}
	int e = recorder_requests(r, q, n);
	for (size_t i = 0; i < n; i++) {
		if (own && strcmp(name, all[i].name) == 0)
			hand_over(own, &q[i]);
		if (e == 0)
			spool_remove(&r->spool, all[i].name);
		buf_free(&q[i].summary);
	}
	free(q);
	return e < 0 ? e : (int)n;
}

static int drain(struct recorder *r, const char *name, struct request *own)
{
	struct spooled *all;
	size_t n;
	int e = recorder_write_left(r);
	if (e < 0)
		say_debug(r->listener, "groups that wait in %s/marks: %s", r->config->runtime_dir,
			  strerror(-e));
	int unread = spool_read(&r->spool, &all, &n);
	e = n ? mark_left(r, all, n, name, own) : 0;
	if (e > 0 && recorder_is_agent(r))
		say_info(r->listener, "%d marks that hooks had left are made", e);
	spooled_free(all, n);
	return e < 0 || unread == 0 ? e : unread;
}

int recorder_drain(struct recorder *r, const char *name, struct request *own)
{
	struct spool *s = &r->spool;
	bool locked = s->locked;
	int e = locked ? 0 : recorder_lock(r, DRAIN_MS);
	if (e < 0)
		return e == -ETIMEDOUT ? -EBUSY : not_marked(r, r->config->runtime_dir, e);
	e = drain(r, name, own);
	if (!locked)
		spool_unlock(s);
	return e;
}

/* Still with what was counted; with the mark on its way the counters are closed. */
static int give(struct recorder *r, struct job *job)
{
	add_mark(r, mark_verbs[MARK_RELEASE], str_of(job->id));
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
		e = give(r, job);
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
			n += take_back(r, job);
	}
	if (n > 0) {
		e = recorder_record(r, 0);
		if (e == 0)
			recorder_save_jobs(r);
	}
	recorder_leave(r);
	return e < 0 ? e : n > 0 ? 0 : -ENOENT;
}
