/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_copy.h - write records of any format as a raw file */
#pragma once

#include "schema/record_source.h"

/* The state of one output file. All zero is a valid start; raw_copy_free() releases it. */
struct raw_copy {
	struct buf head;	/* header that was written last */
	struct buf next;	/* header for the current record, compared with .head */
	struct raw_copy_type {
		const struct record_type *type;
		bool *has;	/* a flag for each key: true if written */
		bool any;	/* at least one row was seen */
	} *type;
	size_t n, cap;
	/*
	 * number of rows left out because they lack a key: the raw format cannot mark a single
	 * missing value
	 */
	uint64_t left_out;
};

/* Prepare for the records of another source. */
void raw_copy_source(struct raw_copy *c);

/*
 * Append the record, after a new header if the host, the schema or a restart of the counters
 * requires one. Values are copied unchanged; the schema has their widths and units.
 */
void raw_copy_put(struct raw_copy *c, const struct record_source *from, const struct record *r,
		  struct buf *out);

/*
 * The steps of raw_copy_put(), for callers that write the parts separately: tell if .head must be
 * written before the record, append the record's first line and marks, append its rows.
 */
bool raw_copy_head_due(struct raw_copy *c, const struct record_source *from,
		       const struct record *r);
void raw_copy_put_marks(const struct record *r, struct buf *out);
void raw_copy_put_rows(struct raw_copy *c, const struct record *r, struct buf *out);
void raw_copy_free(struct raw_copy *c);
