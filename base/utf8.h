/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.h - characters of more than one byte, and text of others that a terminal may be shown */
#pragma once

#include "base/buf.h"

/*
 * Takes the character at the front of s, which is not empty, ASCII or longer. False: no character
 * begins there, and one byte was taken.
 */
bool utf8_take(struct str *s, struct str *ret);

bool utf8_is_all(struct str s);

/*
 * The code point of a character of more than one byte at the front that changes how the text around
 * it is shown, 0 if it does not: C1 (U+0080 to U+009F) commands terminals, separators of lines
 * begin one, marks and overrides of direction (Unicode, UAX 9, 2) put what follows in another
 * order.
 */
unsigned utf8_control(struct str s);

/* Puts "?" for each byte of a control character (ASCII, utf8_control()) and of no character. */
void utf8_make_printable(char *text, size_t n);

/* The same for text of several lines: the end of each stays. */
void utf8_make_lines_printable(char *text, size_t n);

/* Adds s, "?" for each byte that is part of no character. */
void utf8_put(struct buf *b, struct str s);
