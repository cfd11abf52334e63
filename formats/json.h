/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h - writes JSON (RFC 8259) */
#pragma once

#include "base/buf.h"

/*
 * A string with its quotes. Whatever bytes come in, valid JSON goes out: control characters are
 * escaped, what is not UTF-8 becomes U+FFFD.
 */
void json_put_string(struct buf *b, struct str s);

/* "name": with a comma before it unless it is the first of its object ("{" stands before it). */
void json_put_name(struct buf *b, const char *name);
