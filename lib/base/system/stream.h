/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - exchange whole messages through a socket pair, in bounded time */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include "base/base.h"

/*
 * Send all n bytes before deadline_ns, a time of CLOCK_MONOTONIC; INT64_MAX: no deadline. Returns
 * 0; -ETIMEDOUT; -EPIPE if the other end is closed; or another -errno. After an error, the stream
 * must not be used again.
 */
int stream_send(int fd, const void *p, size_t n, int64_t deadline_ns) MUST_CHECK;
/* Receive all n bytes; the deadline and the results are those of stream_send(). */
int stream_receive(int fd, void *p, size_t n, int64_t deadline_ns) MUST_CHECK;

/* Return whether the other end of the stream was closed, so that no answer will come. */
bool stream_is_closed(int fd);

/*
 * Receive like stream_receive(), but block in recv(2) instead of poll(2). The caller must have set
 * SO_RCVTIMEO to the time until the deadline.
 */
int stream_receive_timed(int fd, void *p, size_t n, int64_t deadline_ns) MUST_CHECK;

/* Send all parts in order, like stream_send(). Modifies part. */
int stream_send_parts(int fd, struct iovec *part, size_t n, int64_t deadline_ns) MUST_CHECK;
/*
 * Receive from `least` to `most` bytes, which may include parts of later messages. No deadline.
 * Returns the number of bytes, -EPIPE, or another -errno.
 */
ssize_t stream_receive_least(int fd, void *p, size_t least, size_t most) MUST_CHECK;
