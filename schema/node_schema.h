/* SPDX-License-Identifier: BSD-3-Clause */
/* node_schema.h - choose the keys of a type that go into this node's schema */
#pragma once

#include "schema/rows.h"

#define SCHEMA_KINDS 8	/* limit of kinds of odd devices per type */

/*
 * Kinds of odd devices. A device is odd if it lacks some keys of its type, such as a GPU in MIG
 * mode. The raw format cannot mark a missing value, so each row has all keys of its schema. Odd
 * devices are therefore written with further schemas, TYPE.2 to TYPE.9, whose keys are a subset of
 * TYPE's. Odd devices with the same schema are one kind. The caller provides the memory for .mask;
 * n = 0 means that there are no kinds.
 */
struct schema_kinds {
	/*
	 * room for SCHEMA_KINDS masks of rows_words() words; each has a bit for each key of one
	 * kind
	 */
	uint64_t *mask;
	size_t n;
};

/*
 * Set mask to the keys of the type on this node: a bit for each key that any device has. Add a kind
 * for devices that lack some of these keys. While the mask stays the same, kinds are only added: if
 * a file cannot be read for a moment, the header changes once and not twice. If a type has more
 * than SCHEMA_KINDS kinds, write each further odd device with the schema of a kind that has fewer
 * keys than the device, or leave the device out. Returns true if anything changed.
 */
bool schema_fit(const struct rows *r, uint64_t *mask, struct schema_kinds *kinds);

/* Tell if a row with these keys has all keys of the mask. */
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
 * Return the index of the kind with the most keys, among the kinds all of whose keys the row has.
 * Returns kinds->n if there is no such kind.
 */
size_t schema_kind_of(const struct rows *r, size_t row, const struct schema_kinds *kinds);
