/* SPDX-License-Identifier: BSD-3-Clause */
/* node_schema.c - which keys of a type go into the schema of this node */
#include "schema/node_schema.h"

#include <stdlib.h>
#include <string.h>

#define CANDIDATES_MAX 10	/* of all rows, of any row, of eight kinds of device */

static size_t count_keys(const uint64_t *mask, size_t words)
{
	size_t n = 0;
	for (size_t w = 0; w < words; w++)
		n += (size_t)__builtin_popcountll(mask[w]);
	return n;
}

static size_t count_rows(const struct rows *r, const uint64_t *mask)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += row_has_all(r, i, mask);
	return n;
}

/* Adds the row's set of keys unless it is there or there is no more room. */
static size_t add_candidate(uint64_t *set, size_t n, const uint64_t *present, size_t words)
{
	for (size_t c = 0; c < n; c++)
		if (memcmp(set + c * words, present, words * sizeof(*set)) == 0)
			return n;
	if (n == CANDIDATES_MAX)
		return n;
	memcpy(set + n * words, present, words * sizeof(*set));
	return n + 1;
}

static size_t find_candidates(const struct rows *r, uint64_t *set)
{
	size_t words = rows_words(r), n = 2;

	memset(set, 0, words * sizeof(*set));			/* keys of any row */
	memset(set + words, 0xff, words * sizeof(*set));	/* keys of all rows */
	for (size_t i = 0; i < r->n; i++) {
		const uint64_t *present = rows_present(r, i);
		for (size_t w = 0; w < words; w++) {
			set[w] |= present[w];
			set[words + w] &= present[w];
		}
	}
	for (size_t i = 0; i < r->n; i++)	/* when those two are what they will be */
		n = add_candidate(set, n, rows_present(r, i), words);
	return n;
}

void schema_fit(const struct rows *r, uint64_t *mask)
{
	size_t words = rows_words(r), most_values = 0, most_rows = 0, best = 0;
	uint64_t *set = xrealloc(NULL, CANDIDATES_MAX * words * sizeof(*set));
	size_t n = find_candidates(r, set);

	for (size_t c = 0; c < n; c++) {
		size_t rows = count_rows(r, set + c * words);
		size_t values = rows * count_keys(set + c * words, words);
		if (values > most_values || (values == most_values && rows > most_rows)) {
			most_values = values;
			most_rows = rows;
			best = c;
		}
	}
	memcpy(mask, set + best * words, words * sizeof(*mask));
	free(set);
}
