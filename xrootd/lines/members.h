/* SPDX-License-Identifier: BSD-3-Clause */
/* members.h - append members to a JSON object; keys are string literals */
#pragma once

#include <math.h>
#include "base/json.h"

/*
 * Key of a member that is not the first of its object: it begins with a comma. The name must not
 * contain characters that JSON escapes.
 */
#define KEY(name) STR(",\"" name "\":")

/* Always inline, so that the compiler knows the length of the key. */
#define MEMBER static ALWAYS_INLINE void

#define MEMBER_ROOM 40	/* maximum size of a number or another short value, in bytes */

MEMBER member_key(struct buf *b, struct str key)
{
	buf_reserve(b, key.n + MEMBER_ROOM);
	memcpy(b->p + b->n, key.p, key.n);
	b->n += key.n;
}

MEMBER member_null(struct buf *b, struct str key)
{
	member_key(b, key);
	memcpy(b->p + b->n, "null", 4);
	b->n += 4;
}

/* append a text; null if it is empty */
MEMBER member_text(struct buf *b, struct str key, struct str s)
{
	if (!s.n) {
		member_null(b, key);
		return;
	}
	member_key(b, key);
	json_put_string(b, s);
}

MEMBER member_int(struct buf *b, struct str key, bool known, int64_t v)
{
	if (!known) {
		member_null(b, key);
		return;
	}
	member_key(b, key);
	if (v < 0)
		b->p[b->n++] = '-';
	b->n = (size_t)(u64_put(b->p + b->n, v < 0 ? -(uint64_t)v : (uint64_t)v) - b->p);
}

MEMBER member_real(struct buf *b, struct str key, bool known, double v)
{
	if (!known || !isfinite(v)) {
		member_null(b, key);
		return;
	}
	member_key(b, key);
	json_put_double(b, v);
}

MEMBER member_bool(struct buf *b, struct str key, bool known, bool v)
{
	if (!known) {
		member_null(b, key);
		return;
	}
	member_key(b, key);
	buf_add(b, v ? STR("true") : STR("false"));
}
