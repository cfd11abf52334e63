/* SPDX-License-Identifier: BSD-3-Clause */
/* when.h - parse times as people write them */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Parse a time. Forms: seconds since the epoch, with an optional fraction and an optional leading
 * @; an age (-30s, -5min, -2h, and by the calendar -3d, -1w, -1month, -1y); "now"; "today",
 * "yesterday" or a day of the week (the last one), with an optional HH:MM[:SS]; HH:MM[:SS] alone
 * (the last time of the day that matches); "YYYY-MM-DD[[ T]HH:MM[:SS]]", whose time of the day may
 * have a Z or +HH:MM, else in local time; the same with the date "DD-Mon-YYYY". now and *usec are
 * microseconds since the epoch. Returns 0, or -EINVAL if the text has none of these forms.
 */
int when_take(const char *text, int64_t now, int64_t *usec);

/*
 * Parse a time as when_take() does. *by_clock is set to whether the text is a local time, whose
 * meaning depends on the time zone.
 */
int when_take_clock(const char *text, int64_t now, int64_t *usec, bool *by_clock);

/* Return the offset of local time from UTC at the time usec, in seconds; positive in the east. */
int32_t when_utc_offset(int64_t usec);
