/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp.h - frames of STOMP 1.2 */
#pragma once

#include "base/base.h"
#include "base/buf.h"

#define STOMP_FRAME_MAX (64u << 10)	/* of a broker's frame */

/* Borrows from the text that it was taken from. */
struct stomp_frame {
	struct str command, headers, body;
};

/*
 * Takes a frame off *in: 1; 0: it is not whole yet; -EBADMSG. The newlines before it, which say
 * that a broker lives, are taken in any case.
 */
int stomp_take(struct str *in, struct stomp_frame *f) MUST_CHECK;

/* Adds the value of the first header of this name, unescaped. False: there is none. */
bool stomp_add_header(struct buf *b, const struct stomp_frame *f, struct str name);

/* The way back: the command, each header, the body. */
void stomp_begin(struct buf *b, const char *command);
/* of_connect: CONNECT has no escapes, for brokers of STOMP 1.0. */
void stomp_put_header(struct buf *b, const char *name, struct str value, bool of_connect);
void stomp_end(struct buf *b, struct str body);
