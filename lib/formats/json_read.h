/* SPDX-License-Identifier: BSD-3-Clause */
/* json_read.h - read JSON objects in place, such as the lines of a file with one object per line */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/*
 * The functions below allocate no memory and do not change the bytes of values. No JSON library is
 * used, because a library that requires UTF-8 would reject lines of XRootD, which sends file names
 * unchanged even if they are not UTF-8.
 */
#define JSON_DEPTH_MAX 16

/*
 * Return the members of text, which must be one whole object; blanks around the object are allowed.
 */
bool json_take_object(struct str text, struct str *members) MUST_CHECK;

/*
 * Take the next member. The value is the JSON text as written, strings with their quotes. Returns
 * false at the end.
 */
bool json_take_member(struct str *members, struct str *name, struct str *value);

/* Return the value of the first member of this name, or an empty string. */
struct str json_find(struct str members, struct str name);

/*
 * Append a JSON string without its quotes and escapes. Returns false, and leaves b unchanged, if
 * value is no string.
 */
bool json_add_text(struct buf *b, struct str value);

/* Parse a whole number >= 0, and drop a fraction. */
bool json_as_u64(struct str value, uint64_t *ret) MUST_CHECK;
