/* SPDX-License-Identifier: BSD-3-Clause */
/* word_lines.h - parse files of lines "dir 17 3 2 9": numbers with a position but no name */
#pragma once

#include "collectors/source.h"

/* The position of a number on the line that begins with .line, counted from 0. */
struct word_place {
	const char *line;
	size_t place;
	size_t metric;	/* metric of the number; numbers of the same metric are added up */
};

/*
 * Fill the row with the numbers at n places, which must be in the order of the file. Returns how
 * many numbers were found.
 */
size_t row_word_lines(struct row row, struct str text, const struct word_place *place, size_t n);
