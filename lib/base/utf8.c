/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.c - read UTF-8, and make foreign text safe for a terminal */
#include "base/utf8.h"

#include <string.h>
#include "base/base.h"

/*
 * valid second bytes for each first byte (RFC 3629, section 4), without overlong forms and
 * surrogates
 */
static const struct utf8_range {
	unsigned char first, last;	/* range of the first byte */
	unsigned char low, high;	/* range of the second byte; later bytes are 80 to bf */
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

/*
 * Return the length of the multi-byte character at the start of s, or 0 if it is invalid (RFC
 * 3629).
 */
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
	{ 0x0080, 0x009f },	/* C1 controls */
	{ 0x061c, 0x061c },	/* Arabic letter mark */
	{ 0x200e, 0x200f },	/* direction marks */
	{ 0x2028, 0x202e },	/* line and paragraph separators, embeddings, overrides */
	{ 0x2066, 0x2069 },	/* isolates */
};

/* Characters of two columns: East_Asian_Width W and F (Unicode, UAX 11), in large blocks. */
static const struct code_points wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static const struct code_points combining[] = {
	{ 0x0300, 0x036f }, { 0x200b, 0x200d }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },
};

/* Return the code point of the multi-byte character at the start of s, or 0 if there is none. */
static unsigned utf8_code(struct str s)
{
	size_t n = utf8_length(s);
	unsigned code = n ? (unsigned)s.p[0] & (0x7fu >> n) : 0;
	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned)s.p[i] & 0x3f);
	return code;
}

static bool utf8_is_among(unsigned code, const struct code_points *ranges_of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (code >= ranges_of[i].first && code <= ranges_of[i].last)
			return true;
	return false;
}

unsigned utf8_control(struct str s)
{
	unsigned code = utf8_code(s);
	return utf8_is_among(code, controls, ARRAY_SIZE(controls)) ? code : 0;
}

size_t utf8_columns(struct str s)
{
	struct str c;
	size_t columns = 0;
	while (s.n) {
		utf8_take(&s, &c);
		unsigned code = utf8_code(c);
		columns += utf8_is_among(code, wide, ARRAY_SIZE(wide)) ? 2 :
			   utf8_is_among(code, combining, ARRAY_SIZE(combining)) ? 0 : 1;
	}
	return columns;
}

size_t utf8_fit(struct str s, size_t columns)
{
	struct str c, rest = s;
	size_t n = 0;
	while (rest.n) {
		utf8_take(&rest, &c);
		size_t wants = utf8_columns(c);
		if (wants > columns)
			break;
		columns -= wants;
		n += c.n;
	}
	return n;
}

void utf8_copy(char *to, size_t size, struct str s)
{
	struct str c, rest = s;
	size_t n = 0;
	while (rest.n) {
		utf8_take(&rest, &c);
		if (n + c.n >= size)
			break;
		n += c.n;
	}
	str_copy(to, size, (struct str){ s.p, n });
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
