/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - whole messages through a socket pair between processes of ours, bounded in time */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include "base/base.h"

/*
 * All n bytes, until the monotonic clock shows deadline_ns; INT64_MAX: however long it takes. 0,
 * -ETIMEDOUT, -EPIPE: the other end is closed, or another -errno. After an error nobody knows how
 * many bytes went through: the stream is of no use any more.
 */
int stream_send(int fd, const void *p, size_t n, int64_t deadline_ns) MUST_CHECK;
int stream_receive(int fd, void *p, size_t n, int64_t deadline_ns) MUST_CHECK;

/*
 * As stream_receive(), in one call where that waits: the caller has given the socket SO_RCVTIMEO,
 * as long as it is until the deadline.
 */
int stream_receive_timed(int fd, void *p, size_t n, int64_t deadline_ns) MUST_CHECK;

/* All of these parts, one after the other, which are used up meanwhile. */
int stream_send_parts(int fd, struct iovec *part, size_t n, int64_t deadline_ns) MUST_CHECK;
/* However long it takes, what one message has at most: least bytes, or more of the next ones. */
ssize_t stream_receive_least(int fd, void *p, size_t least, size_t most) MUST_CHECK;
