/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.h - what is asked to be marked: jobs begin and end; all that wait share one group */
#pragma once

#include "recorder/attributes.h"
#include "recorder/recorder.h"

#define REQUEST_LEFT 1	/* another process has the jobs: it lies in the runtime directory */

/* A hook's end that comes within this time after another end of the job says nothing new. */
#define JOB_LATE_US 3600000000

struct request {
	enum request_what { REQUEST_MARK, REQUEST_BEGIN, REQUEST_END } what;
	enum job_source source;
	int64_t usec;		/* when it was asked for; 0: now */
	struct str text;	/* of a mark, or "JOB", or "JOB key=value ..." */
	struct str id, attributes;	/* of a job: parts of text, since request_check() */
	struct attributes known;	/* likewise: values that are used here */
	int result;		/* as recorder_mark() and so on return it, or REQUEST_LEFT */
	struct buf summary;	/* of an end: see recorder_end(); the caller frees it */
	char left[SPOOL_NAME_SIZE];	/* the name in the runtime directory, or "" */
};

/* 0: it can be asked for; or -EINVAL. */
int request_check(struct request *q) MUST_CHECK;

/*
 * Leaves a request in the runtime directory as "begin JOB key=value ...", and "SOURCE begin ..." if
 * no hook asks for it; name has SPOOL_NAME_SIZE bytes. 0 or -errno.
 */
int request_leave(struct spool *s, const struct request *q, char *name) MUST_CHECK;
void request_put(const struct request *q, struct buf *to);	/* only the text */
/* Reads the text of a request, which has no time, back; false: it is none. *ret borrows from it. */
bool request_take(struct str text, struct request *ret);

/* Each takes one sample and writes one record group, as recorder_sample(). */

/* -EINVAL: no text, or one that reads as the begin or end of a job. */
int recorder_mark(struct recorder *r, struct str text) MUST_CHECK;
/*
 * job is "JOB", or "JOB key=value ..." with what its scheduler knows of it, see attributes.h; both
 * come into the mark. -EEXIST: the job owns the node already; the sample was taken without a mark.
 * -EINVAL: no id, or bad attributes; -EOVERFLOW: JOBS_MAX jobs own the node.
 */
int recorder_begin(struct recorder *r, struct str job) MUST_CHECK;
/*
 * -ENOENT: no begin of this job was seen here; its end mark was written all the same. -EALREADY:
 * its end was marked within an hour; the sample was taken without a mark. r->ended is then what is
 * known of the job, however little, but for -EINVAL.
 */
int recorder_end(struct recorder *r, struct str job) MUST_CHECK;
/*
 * All of them in their order, with one sample and one group; a job that ends and begins again among
 * them makes it two. A request of a second or more ago has its own time in its mark, " at=".
 * Each has its result; 0 or -errno of the group. Where another process changes the jobs for long,
 * the agent leaves them for recorder_drain() (REQUEST_LEFT), and who is no agent fails: -ETIMEDOUT.
 */
int recorder_requests(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Under the lock of the jobs: each request that is 0 is marked, and has its result. Changes of the
 * jobs lie in the runtime directory until the jobs are saved: if this process is killed between,
 * the next one asks for the same mark again, and the archive has it already. 0 or -errno.
 */
int recorder_mark_all(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Marks the requests that were left in the runtime directory, in the order of their time, and
 * writes groups that waited there. *own may be NULL: it gets result and summary of the request of
 * that name. How many requests were marked, -EBUSY: another process is at it; or -errno.
 */
int recorder_drain(struct recorder *r, const char *name, struct request *own) MUST_CHECK;

/*
 * Gives the hardware counters to a job, in this group for the last time: when it returns none is
 * open. -ENOENT: the job does not own the node, no sample was taken; -EALREADY: it has them;
 * -EBUSY: a worker that hangs holds some.
 */
int recorder_release(struct recorder *r, struct str id) MUST_CHECK;
/* Takes them back, id "": from all jobs. -ENOENT: it had none, no sample was taken. */
int recorder_acquire(struct recorder *r, struct str id) MUST_CHECK;
