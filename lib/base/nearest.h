/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest.h - which known word a misspelt one was meant to be */
#pragma once

#include <stddef.h>

#define NEAREST_LETTERS 63	/* longer words are not compared */

/* Of zeros at first. The words are borrowed. */
struct nearest {
	const char *best;	/* NULL: none is near */
	size_t distance;
};

/*
 * Letters to insert, to remove, to replace, or to swap with the next one, to make one word of the
 * other (optimal string alignment); SIZE_MAX where one is too long.
 */
size_t nearest_distance(const char *a, const char *b);

/* Near is a third of the letters of word, and one more; the first of several equals is kept. */
void nearest_try(struct nearest *n, const char *word, const char *known);
