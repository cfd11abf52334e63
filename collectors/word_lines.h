/* SPDX-License-Identifier: BSD-3-Clause */
/* word_lines.h - parse numbers by their positions in lines such as "dir 17 3 2 9" */
#pragma once

#include "collectors/source.h"

/* A number on the line that starts with .line; the first number has position 0. */
struct word_place {
	const char *line;
	size_t place;
	size_t metric;	/* metric to add the number to; several numbers may have the same metric */
};

/* Add the numbers at n places of the text to the row. Returns how many numbers were found. */
size_t row_word_lines(struct row row, struct str text, const struct word_place *place, size_t n);
