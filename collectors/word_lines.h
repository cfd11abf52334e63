/* SPDX-License-Identifier: BSD-3-Clause */
/* word_lines.h - files of lines "dir 17 3 2 9": numbers that have a place and no name */
#pragma once

#include "collectors/source.h"

/* The number at .place, from 0, of the line that begins with .line. */
struct word_place {
	const char *line;
	size_t place;
	size_t metric;	/* several places of one metric are added */
};

/* Fills the row with what is there, in the order of the file; how many places were found. */
size_t row_word_lines(struct row row, struct str text, const struct word_place *place, size_t n);
