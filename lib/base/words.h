/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h - give each distinct word a number */
#pragma once

#include "base/buf.h"
#include "base/map.h"

/* A set of words. All zero is a valid empty set. */
struct words {
	struct word {
		char *text;
		uint64_t n;	/* for use by the caller, such as a count */
	} *word;
	size_t n, cap;
	struct map by_text;
};

#define WORDS_NONE SIZE_MAX

/* Returns the number of a word, or WORDS_NONE. */
size_t words_find(const struct words *w, struct str text);
/* Returns the number of a word, and adds the word if it is new. */
size_t words_add(struct words *w, struct str text);
void words_free(struct words *w);
