/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_copy.h - write records of any format as a raw file */
#pragma once

#include "schema/record_source.h"

/* An output file. All zero is a valid start; raw_copy_free() releases it. */
struct raw_copy {
	struct buf head;	/* last header written */
	struct buf next;	/* header for the current record, compared with .head */
	struct raw_copy_type {
		const struct record_type *type;
		bool *has;	/* for each key of .type: true if the key is written */
		bool any;	/* a record with rows of this type was seen */
	} *type;
	size_t n, cap;
	/*
	 * number of rows left out because they lack a key: the raw format cannot mark a missing
	 * value
	 */
	uint64_t left_out;
};

/* Call this before the records of another source. */
void raw_copy_source(struct raw_copy *c);

/*
 * Append a record. A header is written before the first record, before a record whose header
 * differs from the last one, such as in the host or schema, and before a record whose counters have
 * restarted. Values are copied unchanged; the schema has their widths and units.
 */
void raw_copy_put(struct raw_copy *c, const struct record_source *from, const struct record *r,
		  struct buf *out);

/*
 * Return true if .head must be written before this record. Call this function and the two below in
 * this order: they are the steps of raw_copy_put().
 */
bool raw_copy_head_due(struct raw_copy *c, const struct record_source *from,
		       const struct record *r);
/* Append the record's first line and its marks. */
void raw_copy_put_marks(const struct record *r, struct buf *out);
/* Append the rows that the header of raw_copy_head_due() describes. */
void raw_copy_put_rows(struct raw_copy *c, const struct record *r, struct buf *out);
void raw_copy_free(struct raw_copy *c);
