/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.h - little-endian fields of records, through the cursor of base/wire.h */
#pragma once

#include "base/wire.h"

static inline uint64_t field_take(struct wire *w, size_t bytes)
{
	struct str s = wire_bytes(w, bytes);
	uint64_t v = 0;
	for (size_t i = s.n; i-- > 0;)
		v = v << 8 | (unsigned char)s.p[i];
	return v;
}

static inline void field_put(struct buf *b, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf_add_char(b, (char)(v >> 8 * i));
}

/* A text of at most that many bytes, filled up with this. */
static inline void field_put_text(struct buf *b, struct str s, size_t bytes, char fill)
{
	struct str cut = { s.p, s.n < bytes ? s.n : bytes };
	buf_add(b, cut);
	for (size_t i = cut.n; i < bytes; i++)
		buf_add_char(b, fill);
}

/* A counted string: its length in a byte, then the text, filled up with NULs. */
static inline void field_put_counted(struct buf *b, struct str s, size_t bytes)
{
	size_t n = s.n < bytes - 1 ? s.n : bytes - 1;
	field_put(b, n, 1);
	field_put_text(b, (struct str){ s.p, n }, bytes - 1, '\0');
}

/* A counted string in a field of that many bytes; a count that is too large is cut. */
static inline struct str field_take_counted(struct wire *w, size_t bytes)
{
	struct str s = wire_bytes(w, bytes);
	if (s.n == 0)
		return s;
	size_t n = (unsigned char)*s.p;
	return (struct str){ s.p + 1, n < s.n - 1 ? n : s.n - 1 };
}
