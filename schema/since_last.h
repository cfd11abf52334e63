/* SPDX-License-Identifier: BSD-3-Clause */
/* since_last.h - what counters of rows that come and go counted since the sample before */
#pragma once

#include <stdbool.h>
#include "base/map.h"

/* All zero is a valid new one; since_last_free() ends it. */
struct since_last {
	struct map by_name;
	struct last_value {
		uint64_t value, sample;
	} *last;
	size_t n, cap;
	uint64_t sample;
};

void since_last_begin(struct since_last *s);	/* another sample */
/*
 * A row that is new counts from 0. False: there was no sample before, the row was not in it, the
 * counter went back, or there were 65536 names.
 */
bool since_last_take(struct since_last *s, struct str name, uint64_t value, uint64_t *ret);
void since_last_clear(struct since_last *s);
void since_last_free(struct since_last *s);
