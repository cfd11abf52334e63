/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h - requests to nodometer-answer, and its replies, as frames on a socket */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define ANSWER_SOCKET "/run/nodometer/answer"

/*
 * Types of frames. The client sends one ANSWER_REQUEST. The reply begins with the path of the
 * archive's folder. For each host, a frame with its name follows, and frames with the pieces of a
 * raw file. The last frame, ANSWER_END, says if the reply is complete.
 */
enum answer_frame {
	ANSWER_REQUEST = 'Q',
	ANSWER_ARCHIVE = 'A',
	ANSWER_HOST    = 'H',
	ANSWER_DATA    = 'D',
	ANSWER_END     = 'E',
};

#define ANSWER_REQUEST_MAX 512	/* largest request, in bytes */
#define ANSWER_JOB_MAX     127
#define ANSWER_HOST_MAX    255
#define ANSWER_BYTES_MAX   (1ull << 30)	/* largest reply, in bytes */
/* job id in a reply that replaces the ids of other users' jobs */
#define ANSWER_OTHERS      "others"

/*
 * Kind of a request. nodometer-answer only accepts ANSWER_RECORDS; nodometer-fetch accepts all
 * kinds. A "stored run" is a run of a job with its computed results, which nodometer jobs has
 * stored (report/jobs/stored_run.h). The formula of a stored run is a hash of the rules that
 * computed the results, see run_row_formula().
 */
enum answer_what {
	ANSWER_RECORDS,
	ANSWER_NEWEST,		/* the newest records of each host */
	/* stored runs whose formula is .job, and the records of all jobs without such a run */
	ANSWER_STORED,
	ANSWER_ONLY_STORED,	/* only stored runs whose formula is .job */
	ANSWER_WHATS
};
/* hostname in a reply for stored runs, which are sent as a raw file with epoch 0 */
#define ANSWER_STORED_HOST "kept"

struct answer_request {
	/*
	 * true: send complete records; false, only with ANSWER_RECORDS: send only marks and times
	 * of runs
	 */
	bool rows;
	/*
	 * time range of the records, microseconds since the epoch; INT64_MIN and INT64_MAX:
	 * unlimited
	 */
	int64_t since, until;
	struct str job;		/* job id; empty: all jobs */
	enum answer_what what;
};

/* Append "WHAT SINCE UNTIL JOB", with "-" for each field that is not set. */
void answer_put_request(struct buf *b, const struct answer_request *q);
/* Parse a request. ret->job borrows from text. Returns 0, or -EBADMSG if text is not a request. */
int answer_take_request(struct str text, struct answer_request *ret) MUST_CHECK;

/* Append "EPOCH HOST". EPOCH is the time of the host's first record, in seconds since the epoch. */
void answer_put_host(struct buf *b, int64_t epoch, struct str host);
/*
 * Parse "EPOCH HOST". *host borrows from text. Returns 0, or -EBADMSG, also if HOST contains "/" or
 * starts with ".".
 */
int answer_take_host(struct str text, int64_t *epoch, struct str *host) MUST_CHECK;

/* Append "ok TEXT" if the reply is complete, else "error TEXT". */
void answer_put_end(struct buf *b, bool whole, struct str text);
/* Parse the text of answer_put_end(). *said borrows from text. Returns 0 or -EBADMSG. */
int answer_take_end(struct str text, bool *whole, struct str *said) MUST_CHECK;
