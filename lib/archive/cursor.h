/* SPDX-License-Identifier: BSD-3-Clause */
/* cursor.h - store how far a sink has read the archive, in a file that outlives the sender */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"

#define CURSOR_WHY_MAX 180	/* bytes; limit of .why, so that the file fits into one sector */

struct cursor {
	int64_t epoch;		/* name of the file being read; 0: start with the oldest */
	/*
	 * in an archive: epoch of the file read before .epoch; in a file of lines: modification
	 * time of the file being read, ns; 0: unknown
	 */
	int64_t after;
	/* offset of the end of the last record read, in the uncompressed text */
	uint64_t offset;
	int64_t usec;		/* TIME of the last record read, 0: none */
	/*
	 * in an archive: digest of the start of the last record read; in a file of lines: digest of
	 * the start of the file; 0: unknown
	 */
	uint64_t head;
	uint64_t tail;		/* in a file of lines: digest of the end of the text read so far */

	/* Statistics. */
	uint64_t groups;	/* records accepted by the receiver, in total */
	uint64_t bytes;		/* bytes sent, if the sink reports them */
	uint64_t refused;	/* records that the receiver rejected permanently, in total */
	/* records not sent because they exceeded the section's max-age, in total */
	uint64_t too_old;
	/* share of the last delivery that was rejected, in thousandths */
	uint64_t refused_share;
	uint64_t errors;
	uint64_t receiver;	/* number of the URL in use, from 1; 0: the sink has only one URL */
	/* how often a URL did not answer, so that the next one was used */
	uint64_t failovers;
	/* number of files that were removed before they were read completely */
	uint64_t lost_files;
	int64_t success_us;	/* time of the last delivery, 0: never */
	/*
	 * size of the unsent lines at the last check, in bytes; compressed files count with their
	 * size on the disk
	 */
	uint64_t waiting;
	/* reason why deliveries fail or a record was rejected, or "" */
	char why[CURSOR_WHY_MAX];
};

/*
 * Put the path DIR/HOST/NAME and a NUL into b, which must be empty, and create its folders. Returns
 * 0 or -errno.
 */
int cursor_path(struct buf *b, const char *dir, const char *host, const char *name) MUST_CHECK;

/*
 * Read a cursor. Returns 0; -ENOENT if there is none; -EBADMSG if the file is damaged: *c then
 * keeps the position that it had (.epoch to .tail), and gets the statistics that are readable; or
 * another -errno.
 */
int cursor_load(struct cursor *c, const char *path) MUST_CHECK;
/* Write the cursor atomically. Returns 0 or -errno. */
int cursor_save(const struct cursor *c, const char *path) MUST_CHECK;

/*
 * Lock DIR/HOST/.lock for a process that delivers. Its child processes hold the lock, too, until
 * they have ended. Returns the descriptor of the lock, -EAGAIN if another process holds it, or
 * another -errno.
 */
int cursor_lock(const char *dir, const char *host) MUST_CHECK;
bool cursor_is_locked(const char *dir, const char *host);
