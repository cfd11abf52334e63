/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.h - parse the "%..." lines of a record; see nodometer-raw(5) */
#pragma once

#include <stdint.h>
#include "base/str.h"

#define MARK_COUNTERS_PREFIX "counters_"	/* common prefix of the verbs about counters */

enum mark_kind {
	MARK_OTHER,		/* any other text, such as a note of a user */
	MARK_BEGIN,		/* JOB [KEY=VALUE...]: the job begins */
	MARK_END,
	MARK_ATTRIBUTES,	/* attributes that the job's hook adds after the begin */
	MARK_RELEASE,		/* the agent releases the hardware counters to JOB */
	MARK_ACQUIRE,		/* the agent has the hardware counters again */
	MARK_RESTART,		/* TYPE [DEVICE...]: counters reopened since the last record */
	MARK_KINDS
};

/* first word of a mark of each kind; "" for MARK_OTHER */
extern const char *const mark_verbs[MARK_KINDS];

/* A parsed mark. Its members point into the text that was parsed. */
struct mark {
	enum mark_kind kind;
	struct str text;	/* whole line of the mark, without "%" */
	struct str subject;	/* job or, for MARK_RESTART, record type; empty for MARK_OTHER */
	struct str rest;	/* text of the mark after its subject */
};

struct mark mark_parse(struct str text);

/*
 * A mark may end with the word "request=USEC.PID", which identifies the request to write the mark:
 * its time, in microseconds since the epoch, and the process that made it. A hook passes the same
 * "USEC.PID" to each process that may write the mark, so that repetitions can be detected.
 */
#define MARK_REQUEST_KEY "request="
/* Return the "USEC.PID" of a mark, or an empty string if it has none. */
struct str mark_request(struct str text);
/* Return USEC of a "USEC.PID" from mark_request(); INT64_MAX if it has no valid time. */
int64_t mark_request_usec(struct str request);
/* Return the text of a mark without the word "request=USEC.PID" at its end. */
struct str mark_without_request(struct str text);
