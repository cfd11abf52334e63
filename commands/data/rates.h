/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.h - records of one host as rates, or fewer of them: what counters counted in a second */
#pragma once

#include "schema/record_source.h"

struct rates;

struct rates_how {
	bool per_second;	/* else values are as they are */
	int64_t period_us;	/* only the first row of each device in each period; 0: all */
};

struct rates *rates_new(const struct rates_how *how, bool (*wants)(void *arg, struct str type),
			void *arg);
void rates_free(struct rates *r);	/* NULL is fine */

/*
 * Of the record the rows that are wanted, each counter as its rate since the device's row before
 * that was handed out, in the unit of the schema per second, wraps added up; other keys are as they
 * are. A counter has no value where nothing can be subtracted: in a device's first row, after a
 * reset, where the clock went back. A row without any value is left out. Valid until the next call,
 * and as long as g is.
 */
const struct record *rates_of(struct rates *r, const struct record *g,
			      const struct record_source *source);
