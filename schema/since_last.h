/* SPDX-License-Identifier: BSD-3-Clause */
/* since_last.h - growth of counters since the last sample, for rows that come and go */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "schema/delta.h"

/*
 * State of each counter, by its name, as of its last reading. Zeroed memory is a valid start;
 * since_last_free() releases it.
 */
struct since_last {
	struct map by_name;
	struct last_value {
		struct counter counter;
		/* number of the newest sample that has a reading of the counter; 0: none yet */
		uint64_t sample;
	} *last;
	size_t n, cap;
	uint64_t sample;	/* number of the current sample, from 1 */
};

void since_last_begin(struct since_last *s);	/* Begin the next sample. */
/*
 * Take a reading of the counter `name`, and set *ret to its growth since the last sample. The
 * growth of a counter that is new in this sample is its reading. Returns false if the growth is
 * unknown: in the first sample, if the last sample had no reading of the counter, if the counter
 * fell to half or less, or if there are more than 65536 names.
 */
bool since_last_take(struct since_last *s, struct str name, uint64_t value, uint64_t *ret);
void since_last_clear(struct since_last *s);
void since_last_free(struct since_last *s);
