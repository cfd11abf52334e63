/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - read clocks */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/*
 * Return CLOCK_BOOTTIME in microseconds, as it was at the wall clock time at_us. If at_us is not in
 * the last 5 seconds, return CLOCK_BOOTTIME of now instead. Unlike the wall clock, nobody can set
 * CLOCK_BOOTTIME.
 */
static inline int64_t boottime_us(int64_t at_us)
{
	int64_t late = clock_ns(CLOCK_REALTIME) / 1000 - at_us;
	bool just = late > 0 && late < 5 * 1000000;
	return clock_ns(CLOCK_BOOTTIME) / 1000 - (just ? late : 0);
}

/* Return the wall clock time `ms` milliseconds from now, for pthread_cond_timedwait(). */
static inline struct timespec clock_after_ms(long ms)
{
	int64_t ns = clock_ns(CLOCK_REALTIME) + ms * INT64_C(1000000);
	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

/* Sleep for *ns nanoseconds, and double *ns, up to 8 ms, for the next turn of a polling loop. */
static inline void clock_pause(int64_t *ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)*ns }, NULL);
	if (*ns < 8000000)
		*ns *= 2;
}

/* Return microseconds since the Unix epoch. */
static inline int64_t realtime_us(void)
{
	return clock_ns(CLOCK_REALTIME) / 1000;
}

static inline uint64_t timeval_us(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

/* Add a duration to *sum, saturating at INT64_MAX. */
static inline void time_add(int64_t *sum, int64_t duration)
{
	if (__builtin_add_overflow(*sum, duration, sum))
		*sum = INT64_MAX;
}
