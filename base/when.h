/* SPDX-License-Identifier: BSD-3-Clause */
/* when.h - a moment as people write it */
#pragma once

#include <stdint.h>

/*
 * Epoch seconds[.fraction], with @ before them or not; a time before now: -30s, -5min, -2h, and
 * by the calendar -3d, -1w, -1month, -1y; "now", "today", "yesterday" or a day of the week, the
 * last one that was, with or without HH:MM[:SS]; HH:MM[:SS], the last that was; "YYYY-MM-DD[
 * T]HH:MM[:SS]" with or without Z or +HH:MM, else local. Microseconds, as now is; -EINVAL: it is
 * none of these.
 */
int when_take(const char *text, int64_t now, int64_t *usec);
