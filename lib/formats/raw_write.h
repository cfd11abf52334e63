/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_write.h - write the parts of an hpcperfstats raw file, see nodometer-raw(5) */
#pragma once

#include "base/buf.h"
#include "schema/node_schema.h"
#include "schema/rows.h"

/* format versions in the first line, by which readers know the dialect */
#define RAW_VERSION    "1.0.2"
#define RAW_VERSION_23 "2.3.5"

/* Append "$name value". Control characters in the value become "?". */
void raw_put_property(struct buf *b, const char *name, struct str value);

/*
 * Append a line "$below TYPE DEVICE LOWER..." for each line "DEVICE LOWER..." in `lines`, or the
 * line "$below TYPE" if `lines` is empty.
 */
void raw_put_below(struct buf *b, const char *type, struct str lines);

/*
 * Append a key of a schema line, such as " name,E,U=cs,W=48": E for a counter or C for a control
 * register, the unit, and the width in bits. Parts that do not apply are left out, and so is a
 * width of 64.
 */
void raw_put_key(struct buf *b, struct str name, enum metric_kind kind, struct str unit,
		 unsigned bits);

/*
 * Append a schema line, "!type key,opts ...", with the metrics that are in the mask. The mask has
 * rows_words() words.
 */
void raw_put_schema(struct buf *b, const char *type, const struct metric *m, size_t n,
		    const uint64_t *mask);

/*
 * Append a line "!TYPE.2 key,opts ..." for each reduced schema of the type, see struct
 * schema_kinds.
 */
void raw_put_kinds(struct buf *b, const char *type, const struct metric *m, size_t n,
		   const struct schema_kinds *kinds);

/* Begin a record: append a blank line and "TIME JOBS[ HOST]". Without jobs, JOBS is "-". */
void raw_put_group(struct buf *b, int64_t usec, struct str jobs, struct str host);

/* Append "%text". Control characters become "?". */
void raw_put_mark(struct buf *b, struct str text);

/*
 * Append "TYPE DEVICE VALUE ..." for each row. A row that lacks a key of the mask is written as
 * "TYPE.2 ..." with a reduced schema, or left out if no reduced schema fits. Returns the number of
 * rows written.
 */
size_t raw_put_rows(struct buf *b, struct str type, const struct rows *r, const uint64_t *mask,
		    const struct schema_kinds *kinds);
