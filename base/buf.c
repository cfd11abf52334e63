/* SPDX-License-Identifier: BSD-3-Clause */
/* buf.c - a growable buffer */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xrealloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		abort();	/* out of memory: systemd restarts us */
	return p;
}

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
	size_t cap = b->cap ? b->cap : 256;
	while (cap - b->n < n)
		cap *= 2;
	b->p = xrealloc(b->p, cap);
	b->cap = cap;
}

void buf_add(struct buf *b, struct str s)
{
	buf_reserve(b, s.n);
	if (s.n)
		memcpy(b->p + b->n, s.p, s.n);
	b->n += s.n;
}

/* From the number of bits: 1233 / 4096 is log10(2), as near as it takes for 64 of them. */
static unsigned count_digits(uint64_t v)
{
	static const uint64_t power[20] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
		10000000000000000000u,
	};
	unsigned n = (unsigned)(64 - __builtin_clzll(v | 1)) * 1233 >> 12;
	return n + (v >= power[n]);
}

char *u64_put(char *to, uint64_t v)
{
	static const char two[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char *end = to + count_digits(v), *p = end;

	for (; v >= 100; v /= 100)
		memcpy(p -= 2, two + 2 * (v % 100), 2);
	if (v >= 10)
		memcpy(p - 2, two + 2 * v, 2);
	else
		p[-1] = (char)('0' + v);
	return end;
}

void buf_add_u64(struct buf *b, uint64_t v)
{
	buf_reserve(b, U64_DIGITS);
	b->n = (size_t)(u64_put(b->p + b->n, v) - b->p);
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
