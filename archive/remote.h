/* SPDX-License-Identifier: BSD-3-Clause */
/* remote.h - an archive by HTTPS or in an object store, as nodometer-remote brings it */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"

/*
 * Each process that reads URLs starts a nodometer-remote of its own, at its first request, and asks
 * it by frames (base/system/frame.h); a reader that is given no URL links and starts nothing.
 */
enum remote_request {
	REMOTE_LIST  = 'L',	/* URL: files below it */
	REMOTE_READ  = 'R',	/* FIRST URL: bytes from FIRST on */
};
enum remote_reply {
	REMOTE_FILE  = 'f',	/* SIZE NAME, of a list: HOST/EPOCH... below the URL */
	REMOTE_FIRST = 'o',	/* where the bytes that follow begin: 0 where all come */
	REMOTE_DATA  = 'd',
	REMOTE_END   = 'e',	/* the answer is whole */
	REMOTE_ERROR = 'x',	/* there is none: why, for people */
};
#define REMOTE_REQUEST_MAX 4096
#define REMOTE_FILE_MOST   (INT64_C(1) << 30)	/* bytes of a file; a larger one is an error */
#define REMOTE_WHOLE_MOST  (INT64_C(64) << 20)	/* likewise, where a server takes no ranges */
#define REMOTE_FILES_MOST  (10u << 20)		/* files of an archive */

bool remote_is(const char *path);	/* begins with https://, http:// or s3:// */

/*
 * Each file below the URL, HOST/EPOCH..., whatever it is. 0, or -EREMOTEIO: remote_why(). The sizes
 * are kept for remote_size().
 */
int remote_list(const char *url, void (*found)(void *arg, struct str name), void *arg) MUST_CHECK;

/* Bytes of a file, by the list; 0: it was not in one. */
uint64_t remote_size(const char *url);

/*
 * The text of DIR/jobs.index, of the archive at the URL that was listed: it says of its files what
 * they hold, and is borrowed until this process ends.
 */
void remote_take_index(const char *url, struct str text);
/* The part of it that is of this file, as the file is now. */
bool remote_index(const char *url, struct str *text);

/* A file in memory, whole: a descriptor at its begin; or -EREMOTEIO. */
int remote_open(const char *url) MUST_CHECK;

/*
 * The last bytes of a file, so many or more, and its size, which may be another than the list has.
 * 0 or -EREMOTEIO.
 */
int remote_last(const char *url, uint64_t want, struct buf *b, uint64_t *size) MUST_CHECK;

/* Why the last request failed, a sentence without a full stop. */
const char *remote_why(void);
