/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp.h - frames of STOMP 1.2 */
#pragma once

#include "base/base.h"
#include "base/buf.h"

#define STOMP_FRAME_MAX (64u << 10)	/* limit of the bytes of a frame from the broker */

/* A received frame, which borrows from the text. */
struct stomp_frame {
	struct str command, headers, body;
};

/*
 * Take a frame off *in. Returns 1, 0 if the frame is incomplete, or -EBADMSG. Newlines before a
 * frame are the broker's heartbeats, and are skipped even if no frame follows.
 */
int stomp_take(struct str *in, struct stomp_frame *f) MUST_CHECK;

/* Append the unescaped value of the first header of this name. Returns false if there is none. */
bool stomp_add_header(struct buf *b, const struct stomp_frame *f, struct str name);

/* Write a frame: first the command, then each header, then the body. */
void stomp_begin(struct buf *b, const char *command);
/*
 * Write a header. of_connect: the header belongs to a CONNECT frame, whose values are not escaped,
 * for compatibility with STOMP 1.0.
 */
void stomp_put_header(struct buf *b, const char *name, struct str value, bool of_connect);
void stomp_end(struct buf *b, struct str body);
