/* SPDX-License-Identifier: BSD-3-Clause */
/* line.h - a record as what other systems read: one file per encoding, each ends in one struct */
#pragma once

#include "base/buf.h"
#include "formats/raw_copy.h"
#include "schema/record_source.h"

#define LINE_LABELS_MAX 16

struct line_label {
	struct str name, value;
};

/* A record as it was read: with all types, before its counters were unfolded. */
struct line_whole {
	const struct record_source *from;
	const struct record *record;	/* NULL: it is none of the archive */
	struct raw_copy copy;
};

struct line_node {
	struct str host;
	const struct line_label *label;	/* cluster=a; at most LINE_LABELS_MAX */
	size_t n_labels;
	struct rates *rates;	/* of this node, see rates.h; NULL: rates are left out */
	struct line_whole *whole;	/* of the record that is put; NULL: it is not known */
};

/*
 * Records become bytes; nothing is read, and nothing is kept from one record to the next. A body is
 * what begin(), put() of each record and end() add to one buffer; begin and end may be NULL. The
 * bodies of an encoding without them may be joined.
 */
struct line_encoder {
	const char *name;	/* "influx" */
	const char *about;
	const char *content_type;
	const char *header;	/* another header of HTTP, or NULL */
	bool whole;		/* takes .whole of the node, and puts nothing without it */
	bool snappy;		/* body compressed by Snappy, which the receiver demands */
	/* Or NULL: what must stand before a record of these types, a text of its own. */
	void (*head)(struct buf *to, const struct line_node *node, const struct record *r);
	void (*begin)(struct buf *to);
	void (*put)(struct buf *to, const struct line_node *node, const struct record *r);
	void (*end)(struct buf *to);
};

/* All that there are, by name. */
extern const struct line_encoder *const line_encoders[];
extern const size_t n_line_encoders;
const struct line_encoder *line_encoder_find(struct str name);	/* or NULL */

/*
 * Whether a head is due before this record: *last, empty at first, is the one that was there last,
 * and becomes it. It keeps the types of the one before, so that a record with fewer needs none.
 */
bool line_head_due(const struct line_encoder *e, const struct line_node *node,
		   const struct record *r, struct buf *last);
