/* SPDX-License-Identifier: BSD-3-Clause */
/* units.h - format numbers for people, at most ten characters wide */
#pragma once

#include <stdint.h>
#include "base/str.h"
#include "figures/derived.h"

/* A formatted number, returned by value, so that one printf(3) can have several of them. */
struct text {
	char s[48];
};

/* results: 1.234 GiB, 12345, 3.21 h */
struct text text_value(enum figure_unit unit, double v);
/* results: 12.3 MiB/s, 45.6 /s; for seconds per second, a percentage: 98.000 % */
struct text text_rate(enum figure_unit unit, double per_second);
struct text text_percent(double v);

/*
 * Unit for the axis of a plot, and the factor that converts values to this unit. largest: the
 * largest value, more than 0. rate: values are per second.
 */
struct axis {
	double by;
	const char *unit;
};
struct axis axis_of(enum figure_unit unit, bool rate, double largest);
/* Return the unit for the axis of a derived figure, with powers of 1024 for bytes. */
struct axis axis_of_derived(const struct derived *d);

struct text text_duration(int64_t usec);	/* results: 2:17:37, 3 d 02:00:00, 0.25 s */
struct text text_time(int64_t usec);		/* local time: 2013-10-01 16:31:10 CDT */
struct text text_clock(int64_t usec);		/* local time: 10-01 16:31:10 */

/*
 * Format a name for a terminal, in at most `width` columns and 47 bytes. Bytes that cannot be shown
 * become "?". A name that is too long is cut, and ends in "+".
 */
struct text text_name(struct str name, size_t width);
