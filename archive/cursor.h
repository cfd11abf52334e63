/* SPDX-License-Identifier: BSD-3-Clause */
/* cursor.h - how far a sink has read the archive, in a file that outlives the sender */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"

#define CURSOR_WHY_MAX 180	/* so that the file has one sector */

struct cursor {
	int64_t epoch;		/* the name of the file; 0: the oldest is to be read */
	int64_t after;		/* of the file that was read before it; 0: not known */
	uint64_t offset;	/* bytes of its text, uncompressed, to the end of the last group */
	int64_t usec;		/* TIME of that group, 0: none */
	uint64_t head;		/* how the last group, or a file of lines, begins; 0: not known */

	/* For people. */
	uint64_t groups;	/* records that the receiver took, in all */
	uint64_t bytes;		/* sent, as far as the sink says it */
	uint64_t refused;	/* records that the receiver will never take, in all */
	uint64_t refused_share;	/* of the last delivery, in thousandths */
	uint64_t errors;
	uint64_t lost_files;	/* removed before they were known to be read whole */
	int64_t success_us;	/* when something was delivered last, 0: never */
	char why[CURSOR_WHY_MAX];	/* the present failure or refusal, or "" */
};

/* DIR/HOST/NAME; the folders are made. 0 or -errno. */
int cursor_path(struct buf *b, const char *dir, const char *host, const char *name) MUST_CHECK;

/*
 * 0, -ENOENT, or another -errno. -EBADMSG: the file is damaged; only the fields for people are set,
 * as far as they can be read.
 */
int cursor_load(struct cursor *c, const char *path) MUST_CHECK;
/* Puts it in place whole. 0 or -errno. */
int cursor_save(const struct cursor *c, const char *path) MUST_CHECK;

/*
 * A process that delivers holds DIR/HOST/.lock, and so do its children: the lock is free when all
 * of them have ended. The descriptor that holds it; -EAGAIN: another process does; or another
 * -errno.
 */
int cursor_lock(const char *dir, const char *host) MUST_CHECK;
bool cursor_is_locked(const char *dir, const char *host);
