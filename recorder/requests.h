/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.h - all requests that wait to be marked share one sample and one group */
#pragma once

#include "recorder/recorder.h"
#include "recorder/request.h"

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
