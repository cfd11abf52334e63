/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_print.h - print records as JSON lines, as CSV, or as a table of one type */
#pragma once

#include "base/buf.h"
#include "schema/record.h"

/*
 * A table with the rows of one type. The columns are the keys in the schema of the first row.
 * Initialise with zeros; print_begin() sets .units, .text and .rates.
 */
struct wide {
	bool units;	/* whether titles contain units */
	void (*text)(struct buf *b, struct str s);	/* appends a text field */
	bool rates;	/* whether the values of counters are rates per second */
	char **name;
	size_t n;
	const struct record_type *layout;	/* schema of the latest row */
	int *place;	/* for each column, the index of its key in .layout, or -1 */
	bool begun;
};

struct print {
	enum print_form { PRINT_JSON, PRINT_CSV, PRINT_WIDE } form;
	bool units;		/* whether to print units: in titles of a table, else per value */
	/* appends a text field of CSV: csv_cell() or csv_str() */
	void (*text)(struct buf *b, struct str s);
	bool rates;		/* whether the values of counters are rates per second */
	/* the caller sets .table.layout to NULL before each source of records after the first */
	struct wide table;
	struct buf head;	/* text at the start of each line of the current record */
	struct buf out;		/* printed text, which the caller empties */
};

/*
 * Begin the output, after .form, .units, .text and .rates are set. Prints the titles of CSV; the
 * titles of a table are printed later, before the first row.
 */
void print_begin(struct print *p);
/* Start a record, before its marks and rows. */
void print_head(struct print *p, const struct record *g, struct str host);
void print_mark(struct print *p, struct str mark);	/* does nothing except in JSON */
/* Print a row of `file`. For a table, log a warning if a key of the row has no column. */
void print_row(struct print *p, const char *file, const struct record_type *type,
	       const struct record_row *row);
void print_free(struct print *p);
