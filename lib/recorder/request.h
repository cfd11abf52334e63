/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - represent a request for a mark as text */
#pragma once

#include "recorder/attributes.h"
#include "recorder/jobs.h"
#include "recorder/spool.h"

/* value of .result: the request waits in the spool, see recorder_requests() */
#define REQUEST_LEFT 1

struct request {
	enum request_what { REQUEST_MARK, REQUEST_BEGIN, REQUEST_END } what;
	enum job_source source;
	int64_t usec;		/* time at which the request was made, 0: now */
	/* text of a mark; for a begin or end, "JOB" or "JOB key=value ..." */
	struct str text;
	/* parts of .text for a begin or end, set by request_check() */
	struct str id, attributes;
	struct attributes known;	/* parsed attributes, set by request_check() */
	/* return value of recorder_mark(), recorder_begin() or recorder_end(), or REQUEST_LEFT */
	int result;
	/* summary of a job that ends, see recorder_end(); freed by the caller */
	struct buf summary;
	/* name of the request's file in the spool, or "" if there is none */
	char left[SPOOL_NAME_SIZE];
};

/* Validate and parse a request. Returns 0 or -EINVAL. */
int request_check(struct request *q) MUST_CHECK;

/*
 * Store a request as a file in the spool: "begin JOB key=value ..." from a hook, "SOURCE begin ..."
 * from another source. `name` gets the name of the file; it has SPOOL_NAME_SIZE bytes. Returns 0 or
 * -errno.
 */
int request_leave(struct spool *s, const struct request *q, char *name) MUST_CHECK;
/* append the text that request_leave() stores */
void request_put(const struct request *q, struct buf *to);
/*
 * Parse the text that request_leave() stored; *ret borrows from the text. The time is not in the
 * text but in the name of the file. Returns false if the text is not a request.
 */
bool request_take(struct str text, struct request *ret);
