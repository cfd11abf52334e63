/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.h - turn counters into rates per second since their last reading */
#pragma once

#include "base/map.h"

/* The last readings. All zero is a valid start; rates_free() releases them. */
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
 * Store a reading of the counter `name`, and compute its rate. Returns false if there is no rate:
 * at the first reading, if the counter fell, or if the time did not advance.
 */
bool rates_take(struct rates *r, struct str name, int64_t usec, double value, double *per_second);
