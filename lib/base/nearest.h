/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest.h - find the known word nearest to a misspelt one */
#pragma once

#include <stddef.h>

#define NEAREST_LETTERS 63	/* longest word to compare */

/* Best candidate so far; initialise with zeros. Words are borrowed. */
struct nearest {
	const char *best;	/* NULL if no candidate is near */
	size_t distance;
};

/*
 * Return the number of edits that turn a into b: insert, remove or replace a letter, or swap two
 * neighbours (optimal string alignment). Returns SIZE_MAX if a word is too long.
 */
size_t nearest_distance(const char *a, const char *b);

/*
 * Compare a known word with the misspelt `word`, and accept it as candidate if it is within
 * len(word)/3 + 1 edits, and the edits are at most half as many as its letters. The first of
 * equally close candidates wins.
 */
void nearest_try(struct nearest *n, const char *word, const char *known);
