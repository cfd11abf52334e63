/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h - write JSON (RFC 8259) from values of any bytes */
#pragma once

#include "base/buf.h"

/*
 * Append a value: a member of an object or, if name is NULL, an element of an array. A comma is
 * added before it, except at the start of the buffer, a line, an object or an array.
 */
void json_open(struct buf *b, const char *name, char bracket);	/* '{' or '[' */
void json_close(struct buf *b, char bracket);			/* '}' or ']' */
void json_str(struct buf *b, const char *name, struct str s);
/* Append a string formatted as by printf(3), of at most 255 bytes. */
void json_strf(struct buf *b, const char *name, const char *fmt, ...) PRINTF(3, 4);
void json_u64(struct buf *b, const char *name, uint64_t v);
void json_int(struct buf *b, const char *name, int64_t v);
void json_double(struct buf *b, const char *name, double v);	/* null if v is not finite */
/* writes microseconds as seconds with six decimals */
void json_seconds(struct buf *b, const char *name, int64_t usec);
void json_bool(struct buf *b, const char *name, bool v);
void json_null(struct buf *b, const char *name);
/* appends `json` unchanged: it is a JSON value already */
void json_raw(struct buf *b, const char *name, struct str json);

/*
 * A JSON document for programs has a member "schema": the NUMBER of its description in
 * man/schemas/NAME-NUMBER.json.in. Add new keys to that file; increment the number if a key is
 * removed, renamed or changes its meaning.
 */

/*
 * Append a string in quotes. Control characters (base/utf8.h) are escaped; bytes that are not UTF-8
 * become U+FFFD.
 */
void json_put_string(struct buf *b, struct str s);

/* Append the shortest decimal that reads back as v, which must be finite. */
void json_put_double(struct buf *b, double v);

