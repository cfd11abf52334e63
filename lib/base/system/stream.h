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
 * Send all n bytes before the monotonic clock shows deadline_ns; INT64_MAX means no deadline.
 * Returns 0; -ETIMEDOUT; -EPIPE if the other end is closed; or another -errno. After an error the
 * number of bytes sent is unknown, and the stream must not be used again.
 */
int stream_send(int fd, const void *p, size_t n, int64_t deadline_ns) MUST_CHECK;
int stream_receive(int fd, void *p, size_t n, int64_t deadline_ns) MUST_CHECK;

/*
 * Whether the process at the other end has closed the stream or ended, so that no answer will come.
 */
bool stream_is_closed(int fd);

/*
 * Receive like stream_receive(), but wait in the call itself: the caller has set SO_RCVTIMEO of the
 * socket to the time until the deadline.
 */
int stream_receive_timed(int fd, void *p, size_t n, int64_t deadline_ns) MUST_CHECK;

/* Send all parts in order. Modifies part. */
int stream_send_parts(int fd, struct iovec *part, size_t n, int64_t deadline_ns) MUST_CHECK;
/*
 * Receive at least `least` and at most `most` bytes, which may include parts of the next messages,
 * without a deadline.
 */
ssize_t stream_receive_least(int fd, void *p, size_t least, size_t most) MUST_CHECK;
