/* SPDX-License-Identifier: BSD-3-Clause */
/* line.h - encodings of records for other systems; each has a file and a struct */
#pragma once

#include "base/buf.h"
#include "formats/raw_copy.h"
#include "schema/record_source.h"

#define LINE_LABELS_MAX 16

struct line_label {
	struct str name, value;
};
/* Return true if all encodings allow the name of a label: lower case letters, digits and "_". */
bool line_label_is_name(struct str name);

/* A record as its source delivered it: all its types are present, and its counters still wrap. */
struct line_whole {
	const struct record_source *from;
	/* NULL: there is no original, because the record is not from the archive */
	const struct record *record;
	struct raw_copy copy;
};

struct line_node {
	struct str host;
	/* configured labels such as cluster=a; at most LINE_LABELS_MAX */
	const struct line_label *label;
	size_t n_labels;
	/* earlier readings of this node, see rates.h; NULL: leave rates out */
	struct rates *rates;
	struct line_whole *whole;	/* original of the record being encoded; NULL: not known */
	/* the whole record, if only a part of it is being encoded; else NULL */
	const struct record *around;
};

/*
 * An encoding. Its functions read no file and keep nothing from one record to the next. A body is
 * the output of begin(), put() for each record, and end(), in one buffer; begin and end may be
 * NULL. If an encoding has neither, its bodies can be joined.
 */
struct line_encoder {
	const char *name;	/* name in the configuration, such as "influx" */
	const char *about;
	const char *content_type;
	const char *header;	/* additional HTTP header, or NULL */
	/* encodes the original record, .whole of the node; skips records without an original */
	bool whole;
	bool snappy;		/* the receiver requires the body to be compressed with Snappy */
	/*
	 * Write the header that must precede records with the types of r, as a separate message.
	 * NULL if the format has no headers.
	 */
	void (*head)(struct buf *to, const struct line_node *node, const struct record *r);
	void (*begin)(struct buf *to);
	void (*put)(struct buf *to, const struct line_node *node, const struct record *r);
	void (*end)(struct buf *to);
};

/* All encodings, in the order of line.am. */
extern const struct line_encoder *const line_encoders[];
extern const size_t n_line_encoders;
/* Return the encoding of this name, or NULL. */
const struct line_encoder *line_encoder_find(struct str name);

/*
 * Tell if the encoding's header must be sent before this record. *last is the last header that was
 * sent, empty at first, and is updated. A new header also lists the types of the previous one, so
 * that a later record with fewer types needs no header.
 */
bool line_head_due(const struct line_encoder *e, const struct line_node *node,
		   const struct record *r, struct buf *last);
