/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.h - counters as what they grew in a second since they were seen before */
#pragma once

#include "base/map.h"

/* All zero is an empty one; rates_free() ends it. */
struct rates {
	struct map by_name;
	struct rate {
		char *name;
		int64_t usec;
		double value;
	} *rate;
	size_t n, cap;
};

void rates_free(struct rates *r);

/*
 * The next reading of the counter of this name. Whether *per_second is known: not of the first one,
 * of one that fell, or at a time that is not later.
 */
bool rates_take(struct rates *r, struct str name, int64_t usec, double value, double *per_second);
