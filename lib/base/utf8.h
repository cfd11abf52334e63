/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.h - read UTF-8, and make foreign text safe for a terminal */
#pragma once

#include "base/buf.h"

/*
 * Take the first character of s, which must not be empty. If the character is invalid, returns
 * false and takes one byte.
 */
bool utf8_take(struct str *s, struct str *ret);

bool utf8_is_all(struct str s);

/*
 * Return the code point of the multi-byte character at the start of s if this character changes how
 * the text around it is shown: C1 controls (U+0080 to U+009F), line separators, direction marks and
 * overrides (Unicode UAX 9, section 2). Returns 0 for any other character.
 */
unsigned utf8_control(struct str s);

/* Replace control characters (ASCII and utf8_control()) and invalid bytes by "?", byte by byte. */
void utf8_make_printable(char *text, size_t n);

/* Do what utf8_make_printable() does, but keep newlines. */
void utf8_make_lines_printable(char *text, size_t n);

/* Return the terminal columns of s; wide characters (East Asian scripts) take two. */
size_t utf8_columns(struct str s);

/* Return how many bytes of s fit into this number of columns. */
size_t utf8_fit(struct str s, size_t columns);

/* Copy s; if it does not fit, cut it between two characters. */
void utf8_copy(char *to, size_t size, struct str s);

/* Append s with each invalid byte replaced by "?". */
void utf8_put(struct buf *b, struct str s);
