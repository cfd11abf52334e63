/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - what somebody asks to be marked, and the same as text in the runtime directory */
#pragma once

#include "recorder/jobs.h"
#include "recorder/spool.h"

#define REQUEST_LEFT 1	/* another process has the jobs: it lies in the runtime directory */

struct request {
	enum request_what { REQUEST_MARK, REQUEST_BEGIN, REQUEST_END } what;
	enum job_source source;
	int64_t usec;		/* when it was asked for; 0: now */
	struct str text;	/* of a mark, or "JOB", or "JOB key=value ..." */
	struct str id, attributes;	/* of a job: parts of text, since request_check() */
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
/* Such text again, without its time: false if it is none. *ret borrows from it. */
bool request_take(struct str text, struct request *ret);
