/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.h - pieces of a kind and a length through a stream socket */
#pragma once

#include "base/buf.h"

#define FRAME_HEAD 5		/* the kind, and the length in 4 bytes, the highest first */
#define FRAME_MAX  (64u << 10)	/* bytes after the head; both sides refuse more */

/* 0; -EMSGSIZE: over FRAME_MAX; or what stream_send() returns, before the deadline or at it. */
int frame_send(int fd, char kind, struct str bytes, int64_t deadline_ns) MUST_CHECK;
/* In as many frames as it takes, of no bytes in none. */
int frame_send_all(int fd, char kind, struct str bytes, int64_t deadline_ns) MUST_CHECK;

/* Fills b with at most so many bytes: 0; -EMSGSIZE: there are more; or as stream_receive(). */
int frame_receive(int fd, char *kind, struct buf *b, size_t most, int64_t deadline_ns) MUST_CHECK;
