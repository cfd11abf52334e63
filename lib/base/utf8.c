/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.c - characters of more than one byte, and text of others that a terminal may be shown */
#include "base/utf8.h"

#include <string.h>
#include "base/base.h"

/* Bytes that may follow a first byte (RFC 3629, 4): neither overlong forms nor surrogates. */
static const struct utf8_range {
	unsigned char first, last;	/* of the first byte */
	unsigned char low, high;	/* of the second; the others are 80 to bf */
	unsigned char n;
} ranges[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
	{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 },
	{ 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
	{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

/* How many bytes the character at the front takes that is not ASCII, 0 if it is none (RFC 3629). */
static size_t utf8_length(struct str s)
{
	unsigned char c = (unsigned char)*s.p;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		const struct utf8_range *r = &ranges[i];
		if (c < r->first || c > r->last)
			continue;
		if (s.n < r->n || (unsigned char)s.p[1] < r->low || (unsigned char)s.p[1] > r->high)
			return 0;
		for (size_t k = 2; k < r->n; k++)
			if (((unsigned char)s.p[k] & 0xc0) != 0x80)
				return 0;
		return r->n;
	}
	return 0;
}

bool utf8_take(struct str *s, struct str *ret)
{
	size_t n = (unsigned char)*s->p < 0x80 ? 1 : utf8_length(*s);
	*ret = (struct str){ s->p, n ? n : 1 };
	*s = str_skip(*s, ret->n);
	return n > 0;
}

bool utf8_is_all(struct str s)
{
	struct str c;
	while (s.n) {
		if (s.n >= 8 && !(str_load(s.p, 8) & UINT64_C(0x8080808080808080)))
			s = str_skip(s, 8);
		else if (!utf8_take(&s, &c))
			return false;
	}
	return true;
}

static const struct code_points {
	unsigned first, last;
} controls[] = {
	{ 0x0080, 0x009f },	/* C1 */
	{ 0x061c, 0x061c },	/* Arabic letter mark */
	{ 0x200e, 0x200f },	/* marks of direction */
	{ 0x2028, 0x202e },	/* separators of lines and paragraphs, embeddings, overrides */
	{ 0x2066, 0x2069 },	/* isolates */
};

unsigned utf8_control(struct str s)
{
	unsigned code = 0;
	size_t n = utf8_length(s);
	if (n == 2)
		code = ((unsigned)s.p[0] & 0x1f) << 6 | ((unsigned)s.p[1] & 0x3f);
	else if (n == 3)
		code = ((unsigned)s.p[0] & 0x0f) << 12 | ((unsigned)s.p[1] & 0x3f) << 6 |
		       ((unsigned)s.p[2] & 0x3f);
	for (size_t i = 0; i < ARRAY_SIZE(controls); i++)
		if (code >= controls[i].first && code <= controls[i].last)
			return code;
	return 0;
}

void utf8_make_printable(char *text, size_t n)
{
	struct str s = { text, n }, c;
	while (s.n) {
		char *at = text + (n - s.n);
		if (!utf8_take(&s, &c) || (unsigned char)*at < ' ' || *at == 0x7f ||
		    (c.n > 1 && utf8_control(c)))
			memset(at, '?', c.n);
	}
}

void utf8_make_lines_printable(char *text, size_t n)
{
	struct str s = { text, n }, line;
	while (str_take_line(&s, &line))
		utf8_make_printable(text + (line.p - text), line.n);
}

void utf8_put(struct buf *b, struct str s)
{
	struct str c;
	while (s.n)
		buf_add(b, utf8_take(&s, &c) ? c : STR("?"));
}
