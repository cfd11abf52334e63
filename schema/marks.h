/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.h - parse the "%..." lines of a record; see nodometer-raw(5) */
#pragma once

#include <stdint.h>
#include "base/str.h"

#define MARK_COUNTERS_PREFIX "counters_"	/* common prefix of the marks about counters */

enum mark_kind {
	MARK_OTHER,		/* any other text that a user stored as a mark */
	MARK_BEGIN,		/* JOB [KEY=VALUE...]: the job begins */
	MARK_END,
	MARK_ATTRIBUTES,	/* attributes that the job's hook adds after the begin */
	MARK_RELEASE,		/* the agent releases the hardware counters to JOB */
	MARK_ACQUIRE,		/* the agent has the hardware counters again */
	MARK_RESTART,		/* TYPE [DEVICE...]: counters opened again since the last record */
	MARK_KINDS
};

/* first word of each kind; "" for MARK_OTHER */
extern const char *const mark_verbs[MARK_KINDS];

/* A parsed mark, whose members point into the text. */
struct mark {
	enum mark_kind kind;
	struct str text;	/* whole line without "%" */
	struct str subject;	/* JOB or TYPE; empty for MARK_OTHER */
	struct str rest;	/* text of the mark after its subject */
};

struct mark mark_parse(struct str text);

/*
 * A mark made on request ends with the word "request=USEC.PID". USEC is the time of the request,
 * PID the requesting process; together, they identify the request. A hook passes the same
 * "USEC.PID" to each process that may write the mark.
 */
#define MARK_REQUEST_KEY "request="
struct str mark_request(struct str text);	/* Return "USEC.PID", or an empty string. */
/* Return the time at which the mark was requested, or INT64_MAX if the mark does not contain it. */
int64_t mark_request_usec(struct str request);
/* Return the text without the request id at its end. */
struct str mark_without_request(struct str text);
