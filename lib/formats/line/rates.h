/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.h - compute rates per second from successive readings of counters */
#pragma once

#include "base/map.h"

/* The last reading of each counter. All zero is a valid start; rates_free() releases it. */
struct rates {
	struct map by_name;
	struct rates_reading {
		char *name;
		int64_t usec;
		double value;
	} *rate;
	size_t n, cap;
};

void rates_free(struct rates *r);

/*
 * Store a reading of the counter `name`, and compute its rate since the last reading. Returns false
 * if there is no earlier reading, the counter decreased, the time did not advance, or 2^18 other
 * counters are already stored.
 */
bool rates_take(struct rates *r, struct str name, int64_t usec, double value, double *per_second);
