/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_rates.h - convert the counters of a host's records to rates, or keep a row per period */
#pragma once

#include "schema/record_source.h"

struct cat_rates;

struct rates_how {
	/* convert counters to rates per second */
	bool per_second;
	/* keep only the first row of each device in each period; 0 keeps all */
	int64_t period_us;
};

struct cat_rates *cat_rates_new(const struct rates_how *how,
				bool (*wants)(void *arg, struct str type), void *arg);
void cat_rates_free(struct cat_rates *r);	/* r may be NULL */

/*
 * Make a record of the rows of g that .period_us keeps. With .per_second, types that wants()
 * rejects are left out, and each counter is replaced by its rate per second (in the unit of the
 * schema) since the device's previous kept row; wraps are corrected. Other keys are unchanged. A
 * counter has no value if there is no earlier reading to subtract: in the first row of a device,
 * after a reset, or after the clock was set back. Rows without any value are left out. The result
 * is valid until the next call, but not longer than g.
 */
const struct record *cat_rates_of(struct cat_rates *r, const struct record *g,
			      const struct record_source *source);
