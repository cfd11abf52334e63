/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.h - record marks, and begins and ends of jobs; pending requests share a record group */
#pragma once

#include "recorder/recorder.h"
#include "recorder/request.h"

/* time after the end of a job during which a further end from a hook is not marked */
#define JOB_LATE_US 3600000000

/*
 * Each of the following functions takes one sample and writes one record group, like
 * recorder_sample().
 */

/*
 * Record a mark. Returns -EINVAL if the text is empty, or would be read as a mark of a job or of
 * counters, such as the begin of a job.
 */
int recorder_mark(struct recorder *r, struct str text) MUST_CHECK;
/*
 * Record the begin of a job. `job` is "JOB", or "JOB key=value ..." with attributes from the
 * scheduler (attributes.h), which are copied into the mark. Returns -EEXIST if the job is on the
 * node already: a sample was taken, but no mark was made; -EINVAL if the id or the attributes are
 * invalid; -EOVERFLOW if there are JOBS_MAX jobs.
 */
int recorder_begin(struct recorder *r, struct str job) MUST_CHECK;
/*
 * Record the end of a job. Returns -ENOENT if the job was not begun on this node (the end mark was
 * written nevertheless); -EALREADY if an end was marked within the last hour (a sample was taken,
 * but no mark was made). Except after -EINVAL, r->ended has the job's summary, even if it has no
 * figures.
 */
int recorder_end(struct recorder *r, struct str job) MUST_CHECK;
/*
 * Record requests in order, with one sample and one record group. If a request ends a job and a
 * later request begins the job again, make two record groups. If a mark is made a second or more
 * after its request, it gets " at=" with the time of the request.
 *
 * Each request gets its own result. The agent leaves requests for recorder_drain() (REQUEST_LEFT)
 * if another process holds the jobs lock too long, or if neither the archive nor memory has room
 * for the marks. It then leaves later requests, too, until the spool is drained. A process other
 * than the agent fails with -ETIMEDOUT if another process holds the jobs lock. Returns 0, or -errno
 * if a request was neither marked nor left.
 */
int recorder_requests(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Record all requests whose result is 0. The caller holds the jobs lock. Requests that change jobs
 * stay in the spool until the jobs are saved: if this process is killed before, the next process
 * records them again, and drops marks that the archive has already. Returns 0 or -errno.
 */
int recorder_mark_all(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Record the requests in the spool in the order of their times, and write the record groups that
 * wait there. If `wanted` is not NULL, it gets result and summary of the request whose file is
 * called `name`. Returns the number of requests recorded; -EBUSY if another process is draining the
 * spool; -ENOBUFS if memory is still full and requests remain; or another -errno.
 */
int recorder_drain(struct recorder *r, const char *name, struct request *wanted) MUST_CHECK;

/*
 * Release the hardware counters to a job: write a record group with the counters' last values, and
 * close all counters. Returns -ENOENT if the job is not on the node (no sample was taken);
 * -EALREADY if the job has the counters already; -EBUSY if a hung worker process still holds
 * counters.
 */
int recorder_release(struct recorder *r, struct str id) MUST_CHECK;
/*
 * Take the hardware counters back from a job, or from all jobs if id is "". Returns -ENOENT if no
 * such job had them (no sample was taken).
 */
int recorder_acquire(struct recorder *r, struct str id) MUST_CHECK;
