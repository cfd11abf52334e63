/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_row.h - parse the lines "type device value ..." of one record group */
#pragma once

#include "formats/raw_schema.h"

#define RAW_ROWS_MAX (1u << 20)	/* limit of the rows of one record */
#define RAW_VALUES_MAX (RAW_GROUP_BYTES_MAX / 2)	/* limit of the values of one record */
#define RAW_PADDING 8		/* bytes after the end of a line that must be readable */

/* The rows of a record and their values, reused for the next record. All zero is a valid start. */
struct raw_rows {
	struct record_row *row;	/* rows; .value and .real are set by raw_rows_finish() */
	size_t n, cap;
	/* rows by type; until raw_rows_finish(), .n is the index of the type's first row */
	struct record_rows *type;
	size_t n_types, cap_types;
	uint64_t *value;
	size_t n_values, cap_values;
	double *real;	/* the values as double, for rows with fractions or negative values */
	size_t cap_real;
	/* type of the previous row, from which the type of the next row is guessed */
	struct schema_type *last;
	const struct schema_type *kept;	/* type of the last added row; NULL: no row yet */
	bool last_is_whole;	/* the row line that was parsed last was valid */
	char why[160];
};

void raw_rows_free(struct raw_rows *rows);
void raw_rows_clear(struct raw_rows *rows);

/*
 * Parse one line and add its row. p is the line's first non-blank character; a newline comes before
 * end, and RAW_PADDING bytes after the line are readable. Returns false if the line is malformed:
 * rows->why has the reason, and nothing was added.
 */
bool raw_rows_add(struct raw_rows *rows, const struct raw_schema *s, const char *p,
		  const char *end, const char **next);

/* Adjust the device names, which point into the text, after the text has moved. */
void raw_rows_move(struct raw_rows *rows, const char *from, const char *to);
void raw_rows_finish(struct raw_rows *rows);
