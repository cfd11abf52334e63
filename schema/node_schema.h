/* SPDX-License-Identifier: BSD-3-Clause */
/* node_schema.h - choose the keys of a type that go into this node's schema */
#pragma once

#include "schema/rows.h"

#define SCHEMA_KINDS 8	/* limit of additional schemas per type */

/*
 * Additional schemas of a type, TYPE.2 to TYPE.9, for devices that lack some of its keys, such as a
 * GPU in MIG mode. The raw format cannot mark a missing value, so these devices need a schema with
 * fewer keys. Each additional schema is called a kind. The caller provides the memory for .mask; .n
 * = 0 means that there are no kinds.
 */
struct schema_kinds {
	/* SCHEMA_KINDS masks of rows_words() words, with a bit for each key of a kind */
	uint64_t *mask;
	size_t n;
};

/*
 * Set mask to the keys that at least one device of the type has in r. For each set of keys of
 * devices that lack some keys of mask, add a kind. Kinds are removed only if mask changes, so that
 * the header changes only once if a device lacks keys now and then. If there are more than
 * SCHEMA_KINDS kinds, a further device is written with a kind that has fewer keys than the device,
 * or is left out. Returns true if mask or the kinds changed.
 */
bool schema_fit(const struct rows *r, uint64_t *mask, struct schema_kinds *kinds);

/* Return true if the keys `present` of a row include all keys of `mask`. */
static inline bool keys_have_all(const uint64_t *present, const uint64_t *mask, size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (mask[w] & ~present[w])
			return false;
	return true;
}

static inline bool row_has_all(const struct rows *r, size_t row, const uint64_t *mask)
{
	return keys_have_all(rows_present(r, row), mask, rows_words(r));
}

/*
 * Return the index of a kind that only has keys that the row has; of several kinds, the one with
 * the most keys. Returns kinds->n if there is none.
 */
size_t schema_kind_of(const struct rows *r, size_t row, const struct schema_kinds *kinds);
