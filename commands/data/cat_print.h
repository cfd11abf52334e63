/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_print.h - print records as JSON lines, as CSV, or as a table of one type */
#pragma once

#include "base/buf.h"
#include "schema/record.h"

/* A table with the columns of the first schema of the type. Initialise with zeros and .text. */
struct wide {
	bool units;	/* whether titles contain units */
	void (*text)(struct buf *b, struct str s);	/* appends a text field */
	bool rates;	/* whether counters are rates per second */
	char **name;
	size_t n;
	const struct record_type *layout;	/* latest schema */
	/* index of each column in the latest schema, or -1 */
	int *place;
	bool begun;
};

struct print {
	enum print_form { PRINT_JSON, PRINT_CSV, PRINT_WIDE } form;
	bool units;		/* whether each value has its unit */
	/* appends a text field of CSV: csv_cell() or csv_str() */
	void (*text)(struct buf *b, struct str s);
	bool rates;		/* whether counters are rates per second */
	struct wide table;	/* set .table.layout to NULL before the next source of records */
	struct buf head;	/* start of all lines of the record */
	struct buf out;		/* printed text, which the caller empties */
};

/* Print the line of titles, if the form has one. */
void print_begin(struct print *p);
/* Start a record, before its marks and rows. */
void print_head(struct print *p, const struct record *g, struct str host);
void print_mark(struct print *p, struct str mark);	/* does nothing in CSV */
/* Print a row. file is named in the warning about a key without a column. */
void print_row(struct print *p, const char *file, const struct record_type *type,
	       const struct record_row *row);
void print_free(struct print *p);
