/* SPDX-License-Identifier: BSD-3-Clause */
/* clock_ahead.h - a monotonic clock that a test sets ahead; link with -Wl,--wrap=clock_gettime */
#pragma once

#include <stdint.h>
#include <time.h>

static int64_t later_s;		/* how far the clock is ahead, in seconds */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	int r = __real_clock_gettime(clock, t);
	t->tv_sec += clock == CLOCK_MONOTONIC ? later_s : 0;
	return r;
}
