/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h - text as JSON, whatever bytes it is made of (RFC 8259) */
#pragma once

#include "base/buf.h"

/* In quotes; control characters are escaped, what is not UTF-8 becomes U+FFFD. */
void json_put_string(struct buf *b, struct str s);

/* The shortest decimal that reads back as v, which must be finite. */
void json_put_double(struct buf *b, double v);

/* "name": with a comma before it unless it is the first of its object ("{" stands before it). */
void json_put_name(struct buf *b, const char *name);
