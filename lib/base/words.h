/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h - a number for each different word, and how often it came */
#pragma once

#include "base/buf.h"
#include "base/map.h"

/* All zero is a valid empty one. */
struct words {
	struct word {
		char *text;
		uint64_t n;	/* the owner's */
	} *word;
	size_t n, cap;
	struct map by_text;
};

#define WORDS_NONE SIZE_MAX

size_t words_find(const struct words *w, struct str text);	/* WORDS_NONE: it is not there */
size_t words_add(struct words *w, struct str text);		/* a new one gets a number */
void words_free(struct words *w);
