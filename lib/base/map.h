/* SPDX-License-Identifier: BSD-3-Clause */
/* map.h - hash map to pointers or array indices */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

union map_value {
	void *p;
	uint64_t n;
};

/* A map. All zero is a valid empty map. */
struct map {
	struct map_slot {
		/* hash of the key with the highest bit set; 0: free */
		uint64_t hash;
		union map_value value;
	} *slot;
	size_t n, cap;			/* cap is a power of two, or 0 */
};

/*
 * Hash a key with a secret of this process, so that users cannot choose keys that collide. The hash
 * differs from process to process.
 */
uint64_t map_hash(struct str key);

/*
 * Find the first entry with this hash, or the next entry after `at` if not NULL. Returns NULL if
 * there is none. Different keys may have the same hash, so the caller compares the keys:
 *
 *	for (struct map_slot *at = NULL; (at = map_next(m, hash, at));)
 *		if (str_eq(name, host[at->value.n].name))
 *			return &host[at->value.n];
 */
struct map_slot *map_next(const struct map *m, uint64_t hash, struct map_slot *at);

/*
 * Add an entry; pointers to existing entries become invalid. The hash must come from map_hash(), or
 * from another function whose low bits vary.
 */
void map_add(struct map *m, uint64_t hash, union map_value value);
/* moves other entries, so pointers to entries become invalid */
void map_remove(struct map *m, struct map_slot *at);
/* removes all entries, but keeps the memory */
void map_clear(struct map *m);
void map_free(struct map *m);
