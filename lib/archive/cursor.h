/* SPDX-License-Identifier: BSD-3-Clause */
/* cursor.h - store how far a sink has read the archive, in a file that outlives the sender */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"

#define CURSOR_WHY_MAX 180	/* keeps the file within one sector */

struct cursor {
	int64_t epoch;		/* name of the file being read; 0: start with the oldest */
	/* name of the file read before, or the mtime in ns of a file of lines; 0: unknown */
	int64_t after;
	uint64_t offset;	/* end of the last group read, bytes of uncompressed text */
	int64_t usec;		/* TIME of the last group read, 0: none */
	/* digest of the start of the last group, or of a file of lines; 0: unknown */
	uint64_t head;
	uint64_t tail;		/* of a file of lines: digest of the end of what was read */

	/* Statistics for people. */
	uint64_t groups;	/* records accepted by the receiver, in total */
	uint64_t bytes;		/* bytes sent, if the sink reports them */
	uint64_t refused;	/* records rejected for good by the receiver, in total */
	uint64_t too_old;	/* records left out because of the section's max-age, in total */
	uint64_t refused_share;	/* rejected part of the last delivery, in thousandths */
	uint64_t errors;
	uint64_t receiver;	/* number of the URL in use, from 1; 0: the sink has only one */
	uint64_t failovers;	/* times that the next URL was used, because one did not answer */
	uint64_t lost_files;	/* files removed before they were known to be read completely */
	int64_t success_us;	/* time of the last delivery, 0: never */
	/* bytes of lines that were not sent at the last look; compressed files count as they are */
	uint64_t waiting;
	char why[CURSOR_WHY_MAX];	/* current failure or rejection, or "" */
};

/* Put the path DIR/HOST/NAME into b and create its folders. Returns 0 or -errno. */
int cursor_path(struct buf *b, const char *dir, const char *host, const char *name) MUST_CHECK;

/*
 * Read a cursor. Returns 0, -ENOENT, or another -errno; -EBADMSG if the file is damaged: then only
 * the statistics are set, as far as they can be read.
 */
int cursor_load(struct cursor *c, const char *path) MUST_CHECK;
/* Write the cursor atomically. Returns 0 or -errno. */
int cursor_save(const struct cursor *c, const char *path) MUST_CHECK;

/*
 * Lock DIR/HOST/.lock for a process that delivers. Its children share the lock, so it is free once
 * all of them have ended. Returns the descriptor that holds the lock, -EAGAIN if another process
 * holds it, or another -errno.
 */
int cursor_lock(const char *dir, const char *host) MUST_CHECK;
bool cursor_is_locked(const char *dir, const char *host);
