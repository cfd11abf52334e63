/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - all requests that wait to be marked share one sample and one group */
#include "recorder/requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "recorder/job_exports.h"
#include "recorder/job_marks.h"
#include "base/clock.h"
#include "base/listener.h"
#include "formats/raw_write.h"
#include "schema/marks.h"

#define LATE_US  1000000	/* from then on a mark has a time of its own */
#define DRAIN_MS 200		/* so long the agent waits for a hook that is at it */

/* The attributes, and the time at which it was asked for, where that is long ago. */
static void put_attributes(const struct request *q, int64_t now, struct buf *to)
{
	buf_add(to, q->attributes);
	if (q->usec && now - q->usec >= LATE_US) {
		buf_addf(to, "%sat=", to->n ? " " : "");
		raw_put_time(to, q->usec);
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
		q->result = job_begin(r, q->id, q->source, known,
				      q->usec && q->usec < now ? q->usec : now);
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
		job_exports_begin(r->config, r->listener, q->id, q->attributes);
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
	       (r->out.to.keep || q->source != JOB_FROM_HOOK);
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
	recorder_collect(r);
	if (changes_jobs(q, n))
		e = not_marked(r, r->config->runtime_dir, recorder_enter(r));
	if (e < 0 && r->out.to.keep)
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
	int e = output_write_left(&r->out);
	if (e < 0)
		say_debug(r->listener, "groups that wait in %s/marks: %s", r->config->runtime_dir,
			  strerror(-e));
	size_t n = spool_read(&r->spool, &all);
	e = n ? mark_left(r, all, n, name, own) : 0;
	if (e > 0 && r->out.to.keep)
		say_info(r->listener, "%d marks that hooks had left are made", e);
	spooled_free(all, n);
	return e;
}

int recorder_drain(struct recorder *r, const char *name, struct request *own)
{
	struct spool *s = &r->spool;
	bool locked = s->locked;
	int e = locked ? 0 : spool_enter(s, r->config->runtime_dir, r->out.to.keep ? DRAIN_MS :
					 r->out.to.store.lock_ms);
	if (e < 0)
		return e == -ETIMEDOUT ? -EBUSY : not_marked(r, r->config->runtime_dir, e);
	e = drain(r, name, own);
	if (!locked)
		spool_unlock(s);
	return e;
}
