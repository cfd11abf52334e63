/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_print.h - records as JSON lines, as CSV, or as a table of one type */
#pragma once

#include "base/buf.h"
#include "schema/record.h"

/* The columns are those of the first schema of the type. All zero but .text is a new one. */
struct wide {
	bool units;	/* stand in the names of columns; */
	void (*text)(struct buf *b, struct str s);	/* puts a field of words */
	bool rates;	/* where counters are rates, they are per second */
	char **name;
	size_t n;
	const struct record_type *layout;	/* the newest, */
	int *place;				/* and where it has the columns, -1: it has not */
	bool begun;
};

struct print {
	enum print_form { PRINT_JSON, PRINT_CSV, PRINT_WIDE } form;
	bool units;		/* of each value, too; */
	void (*text)(struct buf *b, struct str s);	/* of CSV: csv_cell() or csv_str() */
	bool rates;		/* where counters are rates, they are per second */
	struct wide table;	/* .table.layout = NULL before another source of records */
	struct buf head;	/* start of all lines of the record */
	struct buf out;		/* printed text; its reader empties it */
};

/* The line that names the columns, if the form has one. */
void print_begin(struct print *p);
/* Before the marks and rows of a record. */
void print_head(struct print *p, const struct record *g, struct str host);
void print_mark(struct print *p, struct str mark);	/* CSV has none */
/* file: for the warning where a key has no column. */
void print_row(struct print *p, const char *file, const struct record_type *type,
	       const struct record_row *row);
void print_free(struct print *p);
