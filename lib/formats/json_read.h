/* SPDX-License-Identifier: BSD-3-Clause */
/* json_read.h - read JSON objects in place, such as the lines of a file with one object per line */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/*
 * The functions below allocate no memory, except in buf, and do not change the bytes of values. No
 * JSON library is used, because a library that requires UTF-8 would reject lines from XRootD, which
 * sends file names unchanged.
 */
#define JSON_DEPTH_MAX 16	/* limit of nested objects and lists */

/*
 * Parse text, which must be one JSON object, with or without blanks around it. *members gets the
 * text between its braces. Returns false if text is anything else.
 */
bool json_take_object(struct str text, struct str *members) MUST_CHECK;

/*
 * Take the next member of an object. *name gets the member's name without quotes, but with all
 * escapes. *value gets the JSON text of its value, including the quotes of a string. Returns false
 * at the end.
 */
bool json_take_member(struct str *members, struct str *name, struct str *value);

/* Return the value of the first member with this name, or an empty string. */
struct str json_find(struct str members, struct str name);

/*
 * Append the characters that a JSON string stands for. Returns false, and appends nothing, if value
 * is not a string or has an invalid escape.
 */
bool json_add_text(struct buf *b, struct str value);

/*
 * Parse a number >= 0, and ignore its fraction and exponent: the result of 1.5e3 is 1. Returns
 * false for any other value, and for numbers that need more than 64 bits.
 */
bool json_as_u64(struct str value, uint64_t *ret) MUST_CHECK;
