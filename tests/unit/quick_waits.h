/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quick_waits.h - a ppoll() that advances the clock, not waits; link with -Wl,--wrap=clock_gettime
 */
#pragma once

#include "tests/unit/clock_ahead.h"

#include <poll.h>
#include <signal.h>

/*
 * Wait at most 2 ms, and advance the monotonic clock by the timeout, rounded up to seconds. Feeds
 * call ppoll() to wait at the end of their file.
 */
int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
	(void)mask;
	later_s += limit->tv_sec + (limit->tv_nsec > 0);
	return poll(fds, n, 2);
}
