/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.h - record marks, and begins and ends of jobs; pending requests share a record group */
#pragma once

#include "recorder/recorder.h"
#include "recorder/request.h"

/* us after the end of a job; if a hook reports the end again within this time, it is not marked */
#define JOB_LATE_US 3600000000

/*
 * Each of the following functions takes one sample and writes one record group, like
 * recorder_sample().
 */

/*
 * Record a mark. Returns -EINVAL if the text is empty or looks like a mark of a job or of counters.
 */
int recorder_mark(struct recorder *r, struct str text) MUST_CHECK;
/*
 * Record the begin of a job: "JOB", or "JOB key=value ..." with attributes from the scheduler
 * (attributes.h), which are copied into the mark. Returns -EEXIST if the job is on the node already
 * (a sample is recorded, but no mark); -EINVAL if the id or an attribute is invalid; -EOVERFLOW if
 * there are JOBS_MAX jobs. If a hook began the job, a further begin that comes a minute or more
 * later, or after the job's cgroup disappeared, ends this run of the job and begins its next run.
 */
int recorder_begin(struct recorder *r, struct str job) MUST_CHECK;
/*
 * Record the end of a job. r->ended gets the job's summary, even without figures, except after
 * -EINVAL. Returns -ENOENT if the job was not begun on this node (the end is marked nevertheless);
 * -EALREADY if an end was marked within the last hour or, at any time, because a later job began (a
 * sample is recorded, but no mark); -EINVAL.
 */
int recorder_end(struct recorder *r, struct str job) MUST_CHECK;
/*
 * Record requests in order, in one record group. If a request ends a job and a later one begins it
 * again, make two record groups. A begin or end mark made a second or more after its request gets "
 * at=" with the time of the request.
 *
 * Each request gets its own .result. If another process holds the jobs lock for too long, the agent
 * leaves the requests in the spool for recorder_drain() (REQUEST_LEFT); any other process fails
 * with -ETIMEDOUT. If neither the archive nor memory has room for the marks, the requests are left
 * in the spool, too, and so are all later requests until the spool is drained. Returns 0, or -errno
 * if a request was neither recorded nor left.
 */
int recorder_requests(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Record the requests whose .result is 0. The caller holds the jobs lock. Requests that change jobs
 * stay in the spool until the state file is saved, so that they survive a kill: the next process
 * records them again, without marks that the archive has already. Returns 0 or -errno.
 */
int recorder_mark_all(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Record the requests and write the record groups that wait in the spool, oldest first. `wanted`
 * may be NULL; otherwise it gets the result and the summary of the request in the spool file
 * `name`. Returns the number of requests recorded; -EBUSY if another process holds the jobs lock;
 * -ENOBUFS if memory is full and requests remain in the spool; or another -errno.
 */
int recorder_drain(struct recorder *r, const char *name, struct request *wanted) MUST_CHECK;

/*
 * Release the hardware counters to a job: record their last values, then close all counters.
 * Returns -ENOENT if the job is not on the node (no sample was taken); -EALREADY if the job has the
 * counters already; -EBUSY if a worker process that hangs still holds counters.
 */
int recorder_release(struct recorder *r, struct str id) MUST_CHECK;
/*
 * Take the hardware counters back from a job, or from all jobs if id is "". Returns -ENOENT if no
 * such job had them (no sample was taken).
 */
int recorder_acquire(struct recorder *r, struct str id) MUST_CHECK;
