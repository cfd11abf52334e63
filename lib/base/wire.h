/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - read big-endian fields of a datagram with a cursor that latches its first failure */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"

/*
 * A cursor. A read past the end returns zero and sets .bad, and all later reads return zero, too: a
 * decoder needs to check .bad only once, at the end.
 */
struct wire {
	const unsigned char *p;
	size_t n;
	bool bad;
};

static inline struct wire wire_of(struct str s)
{
	return (struct wire){ (const unsigned char *)s.p, s.n, false };
}

/* Return the next n bytes, borrowed; empty if there are fewer. */
static inline struct str wire_bytes(struct wire *w, size_t n)
{
	if (w->bad || w->n < n) {
		w->bad = true;
		return STR("");
	}
	struct str s = { (const char *)w->p, n };
	w->p += n;
	w->n -= n;
	return s;
}

/* Read an unsigned number of up to 8 bytes. */
static inline uint64_t wire_uint(struct wire *w, size_t bytes)
{
	struct str s = wire_bytes(w, bytes);
	uint64_t v = 0;
	if (s.n)
		memcpy((char *)&v + sizeof(v) - bytes, s.p, bytes);
	return be64toh(v);
}

static inline uint8_t wire_u8(struct wire *w)
{
	return (uint8_t)wire_uint(w, 1);
}

static inline uint16_t wire_u16(struct wire *w)
{
	return (uint16_t)wire_uint(w, 2);
}

static inline uint32_t wire_u32(struct wire *w)
{
	return (uint32_t)wire_uint(w, 4);
}

static inline uint64_t wire_u64(struct wire *w)
{
	return wire_uint(w, 8);
}

static inline double wire_double(struct wire *w)	/* IEEE 754 */
{
	uint64_t bits = wire_u64(w);
	double v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Append the lowest `bytes` bytes of v in big-endian order. */
static inline void wire_put(struct buf *b, uint64_t v, size_t bytes)
{
	while (bytes-- > 0)
		buf_add_char(b, (char)(v >> 8 * bytes));
}

static inline void wire_put_double(struct buf *b, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof(bits));
	wire_put(b, bits, 8);
}
