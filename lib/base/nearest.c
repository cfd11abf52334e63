/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest.c - find the known word nearest to a misspelt one */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static size_t nearest_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Fill row i of the table of edit distances: entry j is the distance between the first i letters of
 * a and the first j letters of b.
 */
static void fill_row(size_t row[][NEAREST_LETTERS + 1], size_t i, const char *a, const char *b)
{
	row[i][0] = i;
	for (size_t j = 1; b[j - 1]; j++) {
		if (i == 0) {
			row[i][j] = j;
			continue;
		}
		size_t d = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
		d = nearest_least(d, 1 + nearest_least(row[i - 1][j], row[i][j - 1]));
		bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
		row[i][j] = swapped ? nearest_least(d, row[i - 2][j - 2] + 1) : d;
	}
}

size_t nearest_distance(const char *a, const char *b)
{
	size_t row[NEAREST_LETTERS + 1][NEAREST_LETTERS + 1];
	size_t m = strlen(a), n = strlen(b);
	if (m > NEAREST_LETTERS || n > NEAREST_LETTERS)
		return SIZE_MAX;
	for (size_t i = 0; i <= m; i++)
		fill_row(row, i, a, b);
	return row[m][n];
}

void nearest_try(struct nearest *n, const char *word, const char *known)
{
	size_t d = nearest_distance(word, known);
	if (d > strlen(word) / 3 + 1 || 2 * d > strlen(known) || (n->best && d >= n->distance))
		return;
	n->best = known;
	n->distance = d;
}
