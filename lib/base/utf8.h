/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.h - read UTF-8, and make foreign text safe for a terminal */
#pragma once

#include "base/buf.h"

/*
 * Take the first character of s, which is not empty. Returns false, and takes one byte, if no valid
 * character starts there.
 */
bool utf8_take(struct str *s, struct str *ret);

bool utf8_is_all(struct str s);

/*
 * The code point of a multi-byte character at the start of s that changes how the text around it is
 * shown, or 0. Such characters are C1 controls (U+0080 to U+009F), which command terminals, line
 * separators, and direction marks and overrides (Unicode UAX 9, section 2).
 */
unsigned utf8_control(struct str s);

/*
 * Replace each byte of a control character (ASCII or utf8_control()) and each invalid byte by "?".
 */
void utf8_make_printable(char *text, size_t n);

/* Replace the same bytes as utf8_make_printable() in text of several lines, but keep newlines. */
void utf8_make_lines_printable(char *text, size_t n);

/* Count the columns of a terminal that s takes: two for each character of East Asian scripts. */
size_t utf8_columns(struct str s);

/* Count the bytes of s that fit into this number of columns. */
size_t utf8_fit(struct str s, size_t columns);

/* Copy s. If there is no room for all of s, cut it at the end of a character. */
void utf8_copy(char *to, size_t size, struct str s);

/* Append s with each invalid byte replaced by "?". */
void utf8_put(struct buf *b, struct str s);
