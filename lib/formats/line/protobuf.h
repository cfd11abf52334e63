/* SPDX-License-Identifier: BSD-3-Clause */
/* protobuf.h - write Protocol Buffers messages (see encoding.md of protobuf) */
#pragma once

#include <endian.h>
#include <string.h>
#include "base/utf8.h"

enum { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2 };

static inline void pb_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_add_char(b, (char)(v | 0x80));
	buf_add_char(b, (char)v);
}

static inline void pb_u64(struct buf *b, unsigned field, uint64_t v)
{
	pb_varint(b, field << 3 | PB_VARINT);
	pb_varint(b, v);
}

static inline void pb_fixed64(struct buf *b, unsigned field, uint64_t v)
{
	v = htole64(v);
	pb_varint(b, field << 3 | PB_FIXED64);
	buf_add(b, (struct str){ (const char *)&v, sizeof(v) });
}

static inline void pb_double(struct buf *b, unsigned field, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof(bits));
	pb_fixed64(b, field, bits);
}

static inline void pb_bytes(struct buf *b, unsigned field, struct str s)
{
	pb_varint(b, field << 3 | PB_BYTES);
	pb_varint(b, s.n);
	buf_add(b, s);
}

/* Append a string field. Bytes that are not UTF-8 become "?", because receivers reject them. */
static inline void pb_text(struct buf *b, unsigned field, struct str s)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	if (utf8_is_all(s)) {
		pb_bytes(b, field, s);
		return;
	}
	utf8_put(&text, s);
	pb_bytes(b, field, buf_str(&text));
}

/* Begin an embedded message. Pass the result to pb_close(), which inserts the length. */
static inline size_t pb_open(struct buf *b, unsigned field)
{
	pb_varint(b, field << 3 | PB_BYTES);
	return b->n;
}

static inline void pb_close(struct buf *b, size_t at)
{
	size_t n = b->n - at;
	/*
	 * Append the length to count its bytes, then move the message and write the length before
	 * it.
	 */
	pb_varint(b, n);
	size_t head = b->n - at - n;
	memmove(b->p + at + head, b->p + at, n);
	b->n = at;
	pb_varint(b, n);
	b->n += n;
}
