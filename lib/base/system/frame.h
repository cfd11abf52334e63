/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.h - send and receive frames, each with a kind and a length, through a stream socket */
#pragma once

#include "base/buf.h"

#define FRAME_HEAD 5		/* bytes of the kind and the length, which is big-endian */
#define FRAME_MAX  (64u << 10)	/* limit of the bytes after the head */

/*
 * Send one frame before the deadline. Returns 0; -EMSGSIZE if it exceeds FRAME_MAX; or an error of
 * stream_send().
 */
int frame_send(int fd, char kind, struct str bytes, int64_t deadline_ns) MUST_CHECK;
/* Send bytes in as many frames as necessary; none if there are no bytes. */
int frame_send_all(int fd, char kind, struct str bytes, int64_t deadline_ns) MUST_CHECK;

/*
 * Receive a frame into b. Returns 0; -EMSGSIZE if the frame has more than `most` bytes; or an error
 * of stream_receive().
 */
int frame_receive(int fd, char *kind, struct buf *b, size_t most, int64_t deadline_ns) MUST_CHECK;
