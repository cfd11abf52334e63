/* SPDX-License-Identifier: BSD-3-Clause */
/* node_schema.c - choose the keys of a type that go into this node's schema */
#include "schema/node_schema.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

static size_t count_keys(const uint64_t *mask, size_t words)
{
	size_t n = 0;
	for (size_t w = 0; w < words; w++)
		n += (size_t)__builtin_popcountll(mask[w]);
	return n;
}

static bool schema_add_kind(struct schema_kinds *kinds, const uint64_t *present, size_t words)
{
	size_t bytes = words * sizeof(*present);
	for (size_t i = 0; i < kinds->n; i++)
		if (memcmp(kinds->mask + i * words, present, bytes) == 0)
			return false;
	if (kinds->n == SCHEMA_KINDS || count_keys(present, words) == 0)
		return false;
	memcpy(kinds->mask + kinds->n++ * words, present, bytes);
	return true;
}

bool schema_fit(const struct rows *r, uint64_t *mask, struct schema_kinds *kinds)
{
	size_t words = rows_words(r), bytes = words * sizeof(*mask);
	uint64_t *keys = memset(xrealloc(NULL, bytes), 0, bytes);
	for (size_t i = 0; i < r->n; i++)
		for (size_t w = 0; w < words; w++)
			keys[w] |= rows_present(r, i)[w];
	bool changed = memcmp(keys, mask, bytes) != 0;
	memcpy(mask, keys, bytes);
	free(keys);
	if (changed)
		kinds->n = 0;
	for (size_t i = 0; i < r->n; i++)
		if (!row_has_all(r, i, mask))
			changed |= schema_add_kind(kinds, rows_present(r, i), words);
	return changed;
}

size_t schema_kind_of(const struct rows *r, size_t row, const struct schema_kinds *kinds)
{
	size_t words = rows_words(r), most = 0, best = kinds->n;
	for (size_t i = 0; i < kinds->n; i++) {
		const uint64_t *mask = kinds->mask + i * words;
		size_t keys = count_keys(mask, words);
		if (keys <= most || !row_has_all(r, row, mask))
			continue;
		most = keys;
		best = i;
	}
	return best;
}
