/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.h - the lines "%..." of a record, see nodometer-raw(5) */
#pragma once

#include <stdint.h>
#include "base/str.h"

#define MARK_COUNTERS_PREFIX "counters_"	/* of the marks about counters */

enum mark_kind {
	MARK_OTHER,		/* a user's own */
	MARK_BEGIN,		/* of JOB, [KEY=VALUE...] */
	MARK_END,
	MARK_ATTRIBUTES,	/* from the job's hook, after the begin */
	MARK_RELEASE,		/* JOB has the hardware counters from here on */
	MARK_ACQUIRE,		/* JOB has them no more */
	MARK_RESTART,		/* of TYPE [DEVICE...]: opened again since the last record */
	MARK_KINDS
};

extern const char *const mark_verbs[MARK_KINDS];	/* the first word; "" of MARK_OTHER */

/* All are views of the text. */
struct mark {
	enum mark_kind kind;
	struct str text;	/* the whole line without "%" */
	struct str subject;	/* JOB or TYPE; empty of MARK_OTHER */
	struct str rest;	/* after the subject */
};

struct mark mark_parse(struct str text);

/*
 * The identity of the request that a mark was made for is its last word "request=USEC.PID": when
 * and by which process it was asked for. A hook says it once, to whoever makes the mark.
 */
#define MARK_REQUEST_KEY "request="
struct str mark_request(struct str text);	/* "USEC.PID", or nothing */
int64_t mark_request_usec(struct str request);	/* INT64_MAX of nothing */
struct str mark_without_request(struct str text);	/* where it ends with one */
