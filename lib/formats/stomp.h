/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp.h - frames of STOMP 1.2 */
#pragma once

#include "base/base.h"
#include "base/buf.h"

#define STOMP_FRAME_MAX (64u << 10)	/* largest frame that is received, in bytes */

/* A received frame, which borrows from the text. */
struct stomp_frame {
	struct str command, headers, body;
};

/*
 * Take a frame off *in. Returns 1; 0 if the frame is incomplete; or -EBADMSG. Newlines before a
 * frame are heartbeats of the broker; they are skipped, even if no frame follows.
 */
int stomp_take(struct str *in, struct stomp_frame *f) MUST_CHECK;

/*
 * Append the value of the first header of this name, with its escapes resolved. Returns false if
 * there is no such header.
 */
bool stomp_add_header(struct buf *b, const struct stomp_frame *f, struct str name);

/*
 * To write a frame, call stomp_begin(), stomp_put_header() for each header, and stomp_end(). A body
 * with NULs needs the header content-length.
 */
void stomp_begin(struct buf *b, const char *command);
/* Write a header. of_connect: do not escape the value, as STOMP requires in CONNECT frames. */
void stomp_put_header(struct buf *b, const char *name, struct str value, bool of_connect);
void stomp_end(struct buf *b, struct str body);
