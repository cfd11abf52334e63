/* SPDX-License-Identifier: BSD-3-Clause */
/* remote.h - read an archive over HTTPS or from an object store, through nodometer-remote */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"

/*
 * Requests and replies between a reader and nodometer-remote, as frames (base/system/frame.h). A
 * process starts nodometer-remote when it reads its first URL, so that readers need no network
 * library.
 */
enum remote_request {
	REMOTE_LIST  = 'L',	/* request "URL": list the files below the URL */
	REMOTE_READ  = 'R',	/* request "FIRST URL": read from offset FIRST */
};
enum remote_reply {
	/* a listed file, "SIZE NAME"; NAME is HOST/EPOCH... below the URL */
	REMOTE_FILE  = 'f',
	/* offset of the bytes in the following frames; 0 if the server sends the whole file */
	REMOTE_FIRST = 'o',
	REMOTE_DATA  = 'd',
	REMOTE_MORE  = 'm',	/* the list is still in progress */
	REMOTE_END   = 'e',	/* the answer is complete */
	REMOTE_ERROR = 'x',	/* the request failed; the text is the reason, for human readers */
};
#define REMOTE_REQUEST_MAX 4096
#define REMOTE_SILENT_S    75		/* longest time between two frames of an answer */
/* bytes; a larger file is an error */
#define REMOTE_FILE_MOST   (INT64_C(1) << 30)
/* bytes; limit for a file from a server that does not support ranges */
#define REMOTE_WHOLE_MOST  (INT64_C(64) << 20)
#define REMOTE_FILES_MOST  (10u << 20)		/* limit of files in an archive */

bool remote_is(const char *path);	/* true for https://, http:// and s3:// */
/*
 * Start nodometer-remote now, before the caller drops its rights to read keys and logins. A failure
 * is reported by the first request.
 */
void remote_begin(void);

/*
 * Call found() for each file below the URL, including files that do not belong to the archive, and
 * store the sizes for remote_size(). A name is valid only during the call of found(). Returns 0, or
 * -EREMOTEIO with the reason in remote_why().
 */
int remote_list(const char *url, void (*found)(void *arg, struct str name), void *arg) MUST_CHECK;

/* Returns the size of a file as listed, or 0 if it was not listed. */
uint64_t remote_size(const char *url);

/*
 * Use the text of DIR/jobs.index for the files that remote_list() found. The text must stay valid
 * until this process ends.
 */
void remote_take_index(const char *url, struct str text);
/*
 * Get the index of a file from DIR/jobs.index. Returns false if the index lacks this file, or has
 * it with another size.
 */
bool remote_index(const char *url, struct str *text);

/*
 * Fetch a whole file into memory. Returns a descriptor at its start, -EREMOTEIO, or another -errno.
 */
int remote_open(const char *url) MUST_CHECK;

/*
 * Fetch at least the last `want` bytes of a file, or the whole file if remote_list() did not find
 * it. *size gets the file's present size. Returns 0 or -EREMOTEIO.
 */
int remote_last(const char *url, uint64_t want, struct buf *b, uint64_t *size) MUST_CHECK;

/* Returns the reason of the last failure, a sentence without a full stop. */
const char *remote_why(void);
