/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_write.h - prints the pieces of an hpcperfstats raw file (seed: "Raw stats data") */
#pragma once

#include "base/buf.h"
#include "schema/rows.h"

/* Of the format: readers of each dialect know theirs by it. */
#define RAW_VERSION    "1.0.2"
#define RAW_VERSION_23 "2.3.5"

/* "$name value"; control characters in the value become "?". */
void raw_put_property(struct buf *b, const char *name, struct str value);

/* "$below TYPE DEVICE LOWER...", for each line of the text; "$below TYPE" if there is none. */
void raw_put_below(struct buf *b, const char *type, struct str lines);

/* " name,E,U=cs,W=48": E or C, then the unit, then the width, each only where there is one. */
void raw_put_key(struct buf *b, struct str name, enum metric_kind kind, struct str unit,
		 unsigned bits);

/* "!type key,opts ...": the metrics whose bit is set in mask (rows_words() words). */
void raw_put_schema(struct buf *b, const char *type, const struct metric *m, size_t n,
		    const uint64_t *mask);

/* The blank line and "TIME JOBS[ HOST]" that begin a record group; jobs "" is written "-". */
void raw_put_group(struct buf *b, int64_t usec, struct str jobs, struct str host);

/* "%text"; control characters become "?". */
void raw_put_mark(struct buf *b, struct str text);

/*
 * "type device value ...": every row in which all keys of the mask were read; the others are left
 * out, since the format has no sign for a missing value. Returns the number of rows written.
 */
size_t raw_put_rows(struct buf *b, struct str type, const struct rows *r, const uint64_t *mask);
