/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h - what nodometer-answer is asked, and what it answers: frames of a socket */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define ANSWER_SOCKET "/run/nodometer/answer"

/*
 * The asker sends one request. The answer is the folder of the archive, then for each host its name
 * and the text of a raw file in pieces, and at the end what is to be said of it.
 */
enum answer_frame {
	ANSWER_REQUEST = 'Q',
	ANSWER_ARCHIVE = 'A',
	ANSWER_HOST    = 'H',
	ANSWER_DATA    = 'D',
	ANSWER_END     = 'E',
};

#define ANSWER_REQUEST_MAX 512	/* bytes of a request */
#define ANSWER_JOB_MAX     127
#define ANSWER_HOST_MAX    255
#define ANSWER_BYTES_MAX   (1ull << 30)	/* of all data of an answer */
#define ANSWER_OTHERS      "others"	/* in place of all jobs that are not the asker's */

struct answer_request {
	bool rows;		/* false: marks and times of runs, without what was counted */
	int64_t since, until;	/* microseconds: runs that were there then; or all that there are */
	struct str job;		/* empty: all of them */
};

/* "records|runs SINCE UNTIL JOB", each "-" where nothing is said. */
void answer_put_request(struct buf *b, const struct answer_request *q);
/* 0, or -EBADMSG; .job borrows from the text. */
int answer_take_request(struct str text, struct answer_request *ret) MUST_CHECK;

/* "EPOCH HOST": when the host's records begin, and a name that is no path. */
void answer_put_host(struct buf *b, int64_t epoch, struct str host);
int answer_take_host(struct str text, int64_t *epoch, struct str *host) MUST_CHECK;

/* "ok TEXT" or "error TEXT": whether the answer is whole. */
void answer_put_end(struct buf *b, bool whole, struct str text);
int answer_take_end(struct str text, bool *whole, struct str *said) MUST_CHECK;
