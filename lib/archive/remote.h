/* SPDX-License-Identifier: BSD-3-Clause */
/* remote.h - read an archive over HTTPS or from an object store, through nodometer-remote */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"

/*
 * Each process that reads URLs starts its own nodometer-remote at its first request and exchanges
 * frames with it (base/system/frame.h). A reader without URLs links no network library and starts
 * nothing.
 */
enum remote_request {
	REMOTE_LIST  = 'L',	/* request "URL": list the files below the URL */
	REMOTE_READ  = 'R',	/* request "FIRST URL": read from offset FIRST */
};
enum remote_reply {
	/* reply "SIZE NAME": an entry of a list, HOST/EPOCH... below the URL */
	REMOTE_FILE  = 'f',
	/* offset of the bytes that follow; 0 if the server sends the whole file */
	REMOTE_FIRST = 'o',
	REMOTE_DATA  = 'd',
	REMOTE_MORE  = 'm',	/* a list is still in progress */
	REMOTE_END   = 'e',	/* the answer is complete */
	REMOTE_ERROR = 'x',	/* the request failed: why, for people */
};
#define REMOTE_REQUEST_MAX 4096
#define REMOTE_SILENT_S    75		/* longest time between two frames of an answer */
/* limit of a file, bytes; a larger file is an error */
#define REMOTE_FILE_MOST   (INT64_C(1) << 30)
#define REMOTE_WHOLE_MOST  (INT64_C(64) << 20)	/* the same if the server does not support ranges */
#define REMOTE_FILES_MOST  (10u << 20)		/* limit of files in an archive */

bool remote_is(const char *path);	/* true for https://, http:// and s3:// */
/*
 * Start nodometer-remote now, so that it has the rights to find keys and logins before the caller
 * drops its own. A failure is reported by the first request.
 */
void remote_begin(void);

/*
 * Call found() for each file below the URL, named HOST/EPOCH... or otherwise, and keep the sizes
 * for remote_size(). Returns 0, or -EREMOTEIO, see remote_why().
 */
int remote_list(const char *url, void (*found)(void *arg, struct str name), void *arg) MUST_CHECK;

/* Returns the size of a file according to the list, or 0 if it was not listed. */
uint64_t remote_size(const char *url);

/*
 * Use the text of DIR/jobs.index for the files of the archive at the URL, which was listed before.
 * The text is borrowed until this process ends.
 */
void remote_take_index(const char *url, struct str text);
/*
 * Get the index of a file from DIR/jobs.index. Returns false if there is none for the file's
 * present size.
 */
bool remote_index(const char *url, struct str *text);

/* Fetch a whole file into memory. Returns a descriptor at its start, or -EREMOTEIO. */
int remote_open(const char *url) MUST_CHECK;

/*
 * Fetch at least the last `want` bytes of a file, and its size, which may differ from the size in
 * the list. Returns 0 or -EREMOTEIO.
 */
int remote_last(const char *url, uint64_t want, struct buf *b, uint64_t *size) MUST_CHECK;

/* Returns why the last request failed, a sentence without a full stop. */
const char *remote_why(void);
