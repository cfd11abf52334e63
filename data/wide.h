/* SPDX-License-Identifier: BSD-3-Clause */
/* wide.h - rows of one type as a table: a line per device and time, a column per key */
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

/* Before a row: begins the table with the first. A key that has no column, NULL: none. */
const char *wide_fit(struct wide *w, struct buf *b, const struct record_type *type);
/* After head, that ends in a comma: the device and its values; what is not known is empty. */
void wide_put(const struct wide *w, struct buf *b, struct str head, const struct record_row *row);
void wide_free(struct wide *w);
