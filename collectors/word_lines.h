/* SPDX-License-Identifier: BSD-3-Clause */
/* word_lines.h - parse files of lines "dir 17 3 2 9": numbers with a position but no name */
#pragma once

#include "collectors/source.h"

/* Position of a number, counted from 0, on the line that begins with .line. */
struct word_place {
	const char *line;
	size_t place;
	size_t metric;	/* numbers of the same metric are added */
};

/*
 * Fill the row with the numbers found, which must be listed in the order of the file. Returns how
 * many were found.
 */
size_t row_word_lines(struct row row, struct str text, const struct word_place *place, size_t n);
