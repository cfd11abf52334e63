/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_row.h - parse rows of a raw file, "type device value ..." */
#pragma once

#include "formats/raw_schema.h"

#define RAW_ROWS_MAX (1u << 20)	/* limit of rows in a record */
#define RAW_VALUES_MAX (RAW_GROUP_BYTES_MAX / 2)	/* limit of values in a record */
#define RAW_PADDING 8		/* number of bytes after a line that must be readable */

/* Rows and values of a record; the memory is reused. All zero is a valid start. */
struct raw_rows {
	struct record_row *row;	/* raw_rows_finish() sets .value and .real */
	size_t n, cap;
	/* rows of each type; until raw_rows_finish(), .n is the index of the first row */
	struct record_rows *type;
	size_t n_types, cap_types;
	uint64_t *value;
	size_t n_values, cap_values;
	double *real;	/* the values as double; used if any value has a fraction or is negative */
	size_t cap_real;
	/* type of the previous row, to guess the type of the next row */
	struct schema_type *last;
	const struct schema_type *kept;	/* type of the last row added, or NULL */
	bool last_is_whole;	/* the last row parsed was valid, and no mark followed */
	char why[160];
};

void raw_rows_free(struct raw_rows *rows);
void raw_rows_clear(struct raw_rows *rows);

/*
 * Parse a line and add its row. p: first non-blank character of the line. The line's newline must
 * be before end, and RAW_PADDING bytes after the line must be readable. *next becomes the start of
 * the next line. Returns false, adds no row and sets rows->why if the line is malformed.
 */
bool raw_rows_add(struct raw_rows *rows, const struct raw_schema *s, const char *p,
		  const char *end, const char **next);

/* Adjust the pointers to device names, after the text was moved from `from` to `to`. */
void raw_rows_move(struct raw_rows *rows, const char *from, const char *to);
void raw_rows_finish(struct raw_rows *rows);
