/* SPDX-License-Identifier: BSD-3-Clause */
/* since_last.h - growth of counters since the last sample, for rows that come and go */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "schema/delta.h"

/*
 * The last reading of each counter, by name. Zeroed memory is a valid start; since_last_free()
 * releases it.
 */
struct since_last {
	struct map by_name;
	struct last_value {
		struct counter counter;
		/* number, from 1, of the newest sample with a reading; 0: none */
		uint64_t sample;
	} *last;
	size_t n, cap;
	uint64_t sample;
};

void since_last_begin(struct since_last *s);	/* Begin the next sample. */
/*
 * Take a reading of the counter `name`, and set *ret to its growth since the last sample. A counter
 * that is new in this sample counts from 0. Returns false if the growth is unknown: in the first
 * sample, if the last sample had no reading, if the counter fell to half or less, or if there are
 * more than 65536 names.
 */
bool since_last_take(struct since_last *s, struct str name, uint64_t value, uint64_t *ret);
void since_last_clear(struct since_last *s);
void since_last_free(struct since_last *s);
