/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_rates.h - turn the counters of a host's records into rates, or thin the records out */
#pragma once

#include "schema/record_source.h"

struct cat_rates;

struct rates_how {
	bool per_second;	/* whether counters become rates; otherwise values are unchanged */
	/* keep only the first row of each device in each period; 0 keeps all */
	int64_t period_us;
};

struct cat_rates *cat_rates_new(const struct rates_how *how,
				bool (*wants)(void *arg, struct str type), void *arg);
void cat_rates_free(struct cat_rates *r);	/* r may be NULL */

/*
 * Make a record of the wanted rows. Each counter becomes its rate since the previous returned row
 * of the device, in the unit of the schema per second, with wraps added up; other keys are
 * unchanged. A counter has no value if nothing can be subtracted: in the first row of a device,
 * after a reset, or after the clock went back. A row without any value is left out. The result is
 * valid until the next call, and as long as g is.
 */
const struct record *cat_rates_of(struct cat_rates *r, const struct record *g,
			      const struct record_source *source);
