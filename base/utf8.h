/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.h - characters of more than one byte, and text of others that a terminal may be shown */
#pragma once

#include "base/str.h"

/* How many bytes the character at the front takes that is not ASCII, 0 if it is none (RFC 3629). */
size_t utf8_length(struct str s);

/* Of these, one that commands a terminal as control characters do: C1, U+0080 to U+009F. */
bool utf8_is_control(struct str s);

/* Puts "?" for every byte of a control character, also of C1, and for what is no character. */
void utf8_make_printable(char *text, size_t n);
