/* SPDX-License-Identifier: BSD-3-Clause */
/* buf.c - a growable buffer */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/digits.h"

char *xstrdup(struct str s)
{
	char *p = xrealloc(NULL, s.n + 1);
	str_copy(p, s.n + 1, s);
	return p;
}

void buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}

void buf_grow(struct buf *b, size_t n)
{
	b->p = vec_grow(b->p, &b->cap, b->n + n, 1);
}

void buf_add(struct buf *b, struct str s)
{
	buf_reserve(b, s.n);
	if (s.n)
		memcpy(b->p + b->n, s.p, s.n);
	b->n += s.n;
}

/*
 * Write a number below 10^8 without leading zeros. Stores eight bytes; the caller overwrites the
 * bytes after the number.
 */
static inline char *buf_put_digits(char *to, uint64_t v)
{
	uint64_t x = v < 10000 ? digits_split_four(v) : digits_split(v);
	unsigned zeros = (unsigned)__builtin_ctzll(x | UINT64_C(1) << 56) / 8;
	digits_store(to, x, zeros);
	return to + 8 - zeros;
}

static char *put_eight(char *to, uint64_t v)
{
	digits_store(to, digits_split(v), 0);
	return to + 8;
}

char *u64_put(char *to, uint64_t v)
{
	const uint64_t e8 = 100000000;
	if (v < e8)
		return buf_put_digits(to, v);
	return put_eight(u64_put(to, v / e8), v % e8);
}

void buf_add_time(struct buf *b, int64_t usec)
{
	buf_add_u64(b, (uint64_t)(usec / 1000000));
	unsigned fraction = (unsigned)(usec % 1000000);
	if (fraction == 0)
		return;

	buf_add_char(b, '.');
	for (unsigned unit = 100000; fraction; unit /= 10) {
		buf_add_char(b, (char)('0' + fraction / unit));
		fraction %= unit;
	}
}

void buf_add_quoted(struct buf *b, struct str s, char quote)
{
	buf_add_char(b, quote);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == quote)
			buf_add_char(b, quote);
		buf_add_char(b, s.p[i]);
	}
	buf_add_char(b, quote);
}

void buf_add_u64(struct buf *b, uint64_t v)
{
	buf_reserve(b, U64_DIGITS);
	b->n = (size_t)(u64_put(b->p + b->n, v) - b->p);
}

void buf_add_i64(struct buf *b, int64_t v)
{
	if (v < 0)
		buf_add_char(b, '-');
	buf_add_u64(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		buf_reserve(b, (size_t)n + 1);
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
}

/* Return the byte that an escape at the start of s stands for, or 0 if there is no escape. */
static unsigned buf_escaped_byte(struct str s)
{
	unsigned v = 0;
	if (s.n < 4 || s.p[0] != '\\' || s.p[1] > '3')
		return 0;
	for (size_t i = 1; i < 4; i++) {
		if (s.p[i] < '0' || s.p[i] > '7')
			return 0;
		v = v << 3 | (unsigned)(s.p[i] - '0');
	}
	return v;
}

void buf_add_unescaped(struct buf *b, struct str word)
{
	buf_reserve(b, word.n);
	while (word.n) {
		unsigned c = buf_escaped_byte(word);
		buf_add_char(b, c ? (char)c : *word.p);
		word = str_skip(word, c ? 4 : 1);
	}
}

void buf_add_word(struct buf *b, struct str word, bool escaped)
{
	buf_reserve(b, 4 * word.n + 1);
	char *p = b->p + b->n;
	for (size_t i = 0; i < word.n; i++) {
		unsigned char c = (unsigned char)word.p[i];
		if (c > ' ' && c < 0x7f && (escaped || c != '\\')) {
			*p++ = (char)c;
			continue;
		}
		*p++ = '\\';
		*p++ = (char)('0' + (c >> 6));
		*p++ = (char)('0' + (c >> 3 & 7));
		*p++ = (char)('0' + (c & 7));
	}
	if (word.n == 0)
		*p++ = '-';
	b->n = (size_t)(p - b->p);
}
