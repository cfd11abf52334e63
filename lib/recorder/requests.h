/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.h - record marks and begins and ends of jobs; requests that wait share one group */
#pragma once

#include "recorder/recorder.h"
#include "recorder/request.h"

/* time during which another end of the same job from a hook adds nothing new */
#define JOB_LATE_US 3600000000

/* Each function takes one sample and writes one record group like recorder_sample(). */

/*
 * Record a mark. Returns -EINVAL also if the text is empty or reads like the begin or end of a job.
 */
int recorder_mark(struct recorder *r, struct str text) MUST_CHECK;
/*
 * Record the begin of a job. `job` is "JOB", or "JOB key=value ..." with attributes from the
 * scheduler (attributes.h), which are copied into the mark. Returns -EEXIST if the job is on the
 * node already: the sample was taken without a mark; -EINVAL if the id or the attributes are
 * invalid; -EOVERFLOW if there are JOBS_MAX jobs.
 */
int recorder_begin(struct recorder *r, struct str job) MUST_CHECK;
/*
 * Record the end of a job. Returns -ENOENT if no begin was seen here: the end mark was written all
 * the same; -EALREADY if an end was marked within the last hour: the sample was taken without a
 * mark. Except after -EINVAL, r->ended has the job's summary, however short.
 */
int recorder_end(struct recorder *r, struct str job) MUST_CHECK;
/*
 * Record requests in order, with one sample and one group; if a job ends and begins again among
 * them, with two. A mark made a second or more after its request gets the time of the request, "
 * at=".
 *
 * Each request gets its own result. The agent leaves requests for recorder_drain() (REQUEST_LEFT)
 * if another process holds the jobs lock too long, or if neither archive nor memory has room for
 * the marks; later requests are left as well until the spool is drained. A process other than the
 * agent fails with -ETIMEDOUT if the jobs are locked. Returns 0, or -errno if a request was neither
 * marked nor left.
 */
int recorder_requests(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Record all requests whose result is 0, under the jobs lock. Requests that change jobs are also
 * kept in the spool until the jobs are saved: if this process is killed in between, the next
 * process records them again, and marks already in the archive are dropped. Returns 0 or -errno.
 */
int recorder_mark_all(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Record the requests in the spool in the order of their times, and write groups that wait there.
 * If `wanted` is not NULL, it gets result and summary of the request called `name`. Returns the
 * number of requests recorded; -EBUSY if another process is draining; -ENOBUFS if memory is still
 * full and requests remain; or another -errno.
 */
int recorder_drain(struct recorder *r, const char *name, struct request *wanted) MUST_CHECK;

/*
 * Release the hardware counters to a job. This group reports them for the last time, and none is
 * open afterwards. Returns -ENOENT if the job is not on the node and no sample was taken; -EALREADY
 * if it has them already; -EBUSY if a hung worker process still holds some.
 */
int recorder_release(struct recorder *r, struct str id) MUST_CHECK;
/*
 * Take the counters back from a job, or from all jobs if id is "". Returns -ENOENT if none had them
 * and no sample was taken.
 */
int recorder_acquire(struct recorder *r, struct str id) MUST_CHECK;
