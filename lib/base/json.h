/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h - values are written as JSON (RFC 8259), whatever bytes they are made of */
#pragma once

#include "base/buf.h"

/*
 * A value: a member of an object if it has a name, an element of an array if name is NULL. The
 * comma between two values is written here: none stands at the start of the buffer, of a line, of
 * an object or an array.
 */
void json_open(struct buf *b, const char *name, char bracket);	/* '{' or '[' */
void json_close(struct buf *b, char bracket);			/* '}' or ']' */
void json_str(struct buf *b, const char *name, struct str s);
/* As printf(3), of at most 255 bytes. */
void json_strf(struct buf *b, const char *name, const char *fmt, ...) PRINTF(3, 4);
void json_u64(struct buf *b, const char *name, uint64_t v);
void json_int(struct buf *b, const char *name, int64_t v);
void json_double(struct buf *b, const char *name, double v);	/* null if it is not finite */
void json_seconds(struct buf *b, const char *name, int64_t usec);	/* with six decimals */
void json_bool(struct buf *b, const char *name, bool v);
void json_null(struct buf *b, const char *name);
void json_raw(struct buf *b, const char *name, struct str json);	/* is JSON already */

/*
 * Documents that programs read have a member "schema", the number of the schema that describes
 * them: man/schemas/NAME-NUMBER.json.in. A key that is new needs a line there; where a key goes,
 * is renamed or means something else, the number grows.
 */

/* The string alone, in quotes: control characters (base/utf8.h) are escaped, no UTF-8 is U+FFFD. */
void json_put_string(struct buf *b, struct str s);

/* The number alone: the shortest decimal that reads back as v, which must be finite. */
void json_put_double(struct buf *b, double v);

