/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.h - read and write little-endian fields of records */
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

/* Append a text, cut or padded with `fill` to `bytes` bytes. */
static inline void field_put_text(struct buf *b, struct str s, size_t bytes, char fill)
{
	struct str cut = { s.p, s.n < bytes ? s.n : bytes };
	buf_add(b, cut);
	for (size_t i = cut.n; i < bytes; i++)
		buf_add_char(b, fill);
}

/* Append a length byte and the text, padded with NULs to `bytes` bytes. */
static inline void field_put_counted(struct buf *b, struct str s, size_t bytes)
{
	size_t n = s.n < bytes - 1 ? s.n : bytes - 1;
	field_put(b, n, 1);
	field_put_text(b, (struct str){ s.p, n }, bytes - 1, '\0');
}

/*
 * Take a text with a length byte from a field of `bytes` bytes. If the length byte exceeds the
 * field, the text ends with the field.
 */
static inline struct str field_take_counted(struct wire *w, size_t bytes)
{
	struct str s = wire_bytes(w, bytes);
	if (s.n == 0)
		return s;
	size_t n = (unsigned char)*s.p;
	return (struct str){ s.p + 1, n < s.n - 1 ? n : s.n - 1 };
}
