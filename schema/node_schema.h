/* SPDX-License-Identifier: BSD-3-Clause */
/* node_schema.h - which keys of a type go into the schema of this node */
#pragma once

#include "schema/rows.h"

/*
 * mask gets rows_words() words: a bit for each key of the schema. The format has no sign for a
 * missing value, so a row that lacks a key of the schema is left out, and a key that is not in it
 * is lost for all rows. Of the sets of keys that devices have, what all have and what any has, the
 * one that keeps the most values wins; of equals the one that keeps more rows.
 */
void schema_fit(const struct rows *r, uint64_t *mask);

/* Whether a row, which has these keys, has all keys of the mask. */
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
