/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_copy.h - records of any format as a raw file, with all that it has a place for */
#pragma once

#include "schema/record_source.h"

/* All zero is a valid new one; raw_copy_free() ends it. */
struct raw_copy {
	struct buf head;	/* the newest header that was put */
	struct buf next;	/* for the one after it */
	struct raw_copy_type {
		const struct record_type *type;
		bool *has;	/* keys that its rows have had, or may have: these are put */
		bool any;	/* there was a row */
	} *type;
	size_t n, cap;
	uint64_t left_out;	/* rows that lack a key others had: a raw file has no sign for it */
};

/* Before the records of another source. */
void raw_copy_source(struct raw_copy *c);

/*
 * Adds the record, and the header that it needs where another host, another schema or a new start
 * of the counters makes one due. Values stay what they are: widths and units are in the schema.
 */
void raw_copy_put(struct raw_copy *c, const struct record_source *from, const struct record *r,
		  struct buf *out);

/* The parts of it: whether .head is due before the record; the group's line and marks; its rows. */
bool raw_copy_head_due(struct raw_copy *c, const struct record_source *from,
		       const struct record *r);
void raw_copy_put_marks(const struct record *r, struct buf *out);
void raw_copy_put_rows(struct raw_copy *c, const struct record *r, struct buf *out);
void raw_copy_free(struct raw_copy *c);
