/* SPDX-License-Identifier: BSD-3-Clause */
/* line.h - encode records in the formats of other systems */
#pragma once

#include "base/buf.h"
#include "formats/raw_copy.h"
#include "schema/record_source.h"

#define LINE_LABELS_MAX 16

struct line_label {
	struct str name, value;
};
/* Return true if a label name is valid: lower case letters, digits and "_", but no digit first. */
bool line_label_is_name(struct str name);

/* A record as it was read, before any types were left out or counters were extended to 64 bits. */
struct line_whole {
	const struct record_source *from;
	/* the record as read from the archive; NULL: the record is not from the archive */
	const struct record *record;
	struct raw_copy copy;
};

struct line_node {
	struct str host;
	/* configured labels, such as cluster=a, at most LINE_LABELS_MAX */
	const struct line_label *label;
	size_t n_labels;
	/* last readings of this node's counters, see rates.h; NULL: write no rates */
	struct rates *rates;
	struct line_whole *whole;	/* the record as it was read; NULL: unknown */
	/*
	 * the complete record, if put() gets only a part of it; NULL: put() gets the complete
	 * record
	 */
	const struct record *around;
};

/*
 * An encoding. A request body is the output of begin(), of put() for each record, and of end().
 * begin and end may be NULL; if both are NULL, bodies can be joined into one. The functions read no
 * file. They keep state from one record to the next only in .rates and .whole of the node.
 */
struct line_encoder {
	const char *name;	/* name in the configuration, such as "influx" */
	const char *about;
	const char *content_type;
	const char *header;	/* additional HTTP header, or NULL */
	/*
	 * encode .whole of struct line_node instead of the record; if .whole is NULL, skip the
	 * record
	 */
	bool whole;
	bool snappy;		/* the body must be compressed with Snappy */
	/*
	 * Write the header with the schema of the types in r. It is sent as a separate message.
	 * NULL: this encoding has no headers.
	 */
	void (*head)(struct buf *to, const struct line_node *node, const struct record *r);
	void (*begin)(struct buf *to);
	void (*put)(struct buf *to, const struct line_node *node, const struct record *r);
	void (*end)(struct buf *to);
};

/* All encodings, listed in line.am. */
extern const struct line_encoder *const line_encoders[];
extern const size_t n_line_encoders;
/* Return the encoding of this name, or NULL. */
const struct line_encoder *line_encoder_find(struct str name);

/*
 * Return true if a header must be sent before this record. *last is the header that was sent last,
 * "" at first; the function updates it. *last also keeps the types of earlier headers, so that a
 * later record with fewer types needs no header.
 */
bool line_head_due(const struct line_encoder *e, const struct line_node *node,
		   const struct record *r, struct buf *last);
