/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_row.h - the lines "type device value ..." of one record group */
#pragma once

#include "formats/raw_schema.h"

#define RAW_ROWS_MAX (1u << 20)	/* of one group */
#define RAW_VALUES_MAX (RAW_GROUP_BYTES_MAX / 2)	/* of one group */
#define RAW_PADDING 8		/* readable bytes after a line's end */

/* Rows and their values, reused from group to group. All zero is a valid empty one. */
struct raw_rows {
	struct record_row *row;	/* .value and .real are right after raw_rows_finish() */
	size_t n, cap;
	struct record_rows *type;	/* rows by type: .n is where they begin, until then */
	size_t n_types, cap_types;
	uint64_t *value;
	size_t n_values, cap_values;
	double *real;		/* beside .value, where a row has fractions or signs */
	size_t cap_real;
	struct schema_type *last;	/* the type of the row before, */
	const struct schema_type *kept;	/* and of the last that was added; NULL: none was */
	bool last_is_whole;	/* the newest row line was good */
	char why[160];
};

void raw_rows_free(struct raw_rows *rows);
void raw_rows_clear(struct raw_rows *rows);

/*
 * Takes one line. It starts at p without blanks, ends in a newline before end, and RAW_PADDING
 * bytes after it can be read. False: rows->why says what is wrong, and nothing was added.
 */
bool raw_rows_add(struct raw_rows *rows, const struct raw_schema *s, const char *p,
		  const char *end, const char **next);

/* The text has moved: devices are views of it. */
void raw_rows_move(struct raw_rows *rows, const char *from, const char *to);
void raw_rows_finish(struct raw_rows *rows);
