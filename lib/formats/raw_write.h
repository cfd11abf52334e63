/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_write.h - write the parts of an hpcperfstats raw file, see nodometer-raw(5) */
#pragma once

#include "base/buf.h"
#include "schema/node_schema.h"
#include "schema/rows.h"

/* format versions: readers recognize their dialect by the version */
#define RAW_VERSION    "1.0.2"
#define RAW_VERSION_23 "2.3.5"

/* Append "$name value". Control characters in the value become "?". */
void raw_put_property(struct buf *b, const char *name, struct str value);

/*
 * Append "$below TYPE DEVICE LOWER..." for each line of the text, or "$below TYPE" if there is
 * none.
 */
void raw_put_below(struct buf *b, const char *type, struct str lines);

/*
 * Append " name,E,U=cs,W=48": E for a counter or C for a control register, the unit, the width.
 * Parts that do not apply are left out.
 */
void raw_put_key(struct buf *b, struct str name, enum metric_kind kind, struct str unit,
		 unsigned bits);

/* Append "!type key,opts ..." with the metrics whose bit is set in mask (rows_words() words). */
void raw_put_schema(struct buf *b, const char *type, const struct metric *m, size_t n,
		    const uint64_t *mask);

/*
 * Append a schema line "!TYPE.2 key,opts ..." for each kind of odd device, see struct schema_kinds.
 */
void raw_put_kinds(struct buf *b, const char *type, const struct metric *m, size_t n,
		   const struct schema_kinds *kinds);

/*
 * Append the blank line and "TIME JOBS[ HOST]" that begin a record group. Empty jobs are written
 * "-".
 */
void raw_put_group(struct buf *b, int64_t usec, struct str jobs, struct str host);

/* Append "%text". Control characters become "?". */
void raw_put_mark(struct buf *b, struct str text);

/*
 * Append "TYPE DEVICE VALUE ..." for every row that has all keys of the mask. A row that lacks a
 * key is written with the schema of its kind of odd device, "TYPE.2 DEVICE VALUE ...", or left out
 * if there is no such kind. Returns the number of rows written.
 */
size_t raw_put_rows(struct buf *b, struct str type, const struct rows *r, const uint64_t *mask,
		    const struct schema_kinds *kinds);
