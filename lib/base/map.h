/* SPDX-License-Identifier: BSD-3-Clause */
/* map.h - what is found by a hash: pointers, or places in an array of the owner's */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

union map_value {
	void *p;
	uint64_t n;
};

/* All zero is a valid empty one. */
struct map {
	struct map_slot {
		uint64_t hash;		/* of the key, highest bit set; 0: free */
		union map_value value;
	} *slot;
	size_t n, cap;			/* cap: a power of two, or 0 */
};

/*
 * A hash of the key's bytes under a secret of this process: users who choose the keys cannot choose
 * ones that meet in one slot. It differs from process to process.
 */
uint64_t map_hash(struct str key);

/*
 * The next of those that were added with this hash after `at`, NULL for the first; NULL: no more.
 * Different keys may have one hash, so that the owner compares:
 *
 *	for (struct map_slot *at = NULL; (at = map_next(m, hash, at));)
 *		if (str_eq(name, host[at->value.n].name))
 *			return &host[at->value.n];
 */
struct map_slot *map_next(const struct map *m, uint64_t hash, struct map_slot *at);

/* hash: map_hash()'s, or another of which the low bits differ. */
void map_add(struct map *m, uint64_t hash, union map_value value);
void map_remove(struct map *m, struct map_slot *at);	/* moves other slots */
void map_clear(struct map *m);				/* keeps its memory */
void map_free(struct map *m);
