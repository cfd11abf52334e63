/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c - text as JSON, whatever bytes it is made of */
#include "formats/json.h"

#include <stdio.h>
#include <stdlib.h>

/* What may follow a first byte (RFC 3629, 4): neither overlong forms nor surrogates. */
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

/* How many bytes the character at the front takes, 0 if it is none. */
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

/* Takes one character that cannot stand as it is. */
static struct str put_special(struct buf *b, struct str s)
{
	unsigned char c = (unsigned char)*s.p;
	size_t n = c < 0x80 ? 1 : utf8_length(s);
	if (c == '"' || c == '\\') {
		buf_add_char(b, '\\');
		buf_add_char(b, (char)c);
	} else if (c < 0x80) {
		buf_addf(b, "\\u%04x", c);
	} else if (n) {
		buf_add(b, (struct str){ s.p, n });
	} else {
		buf_add(b, STR("\\ufffd"));
	}
	return str_skip(s, n ? n : 1);
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

void json_put_string(struct buf *b, struct str s)
{
	buf_add_char(b, '"');
	while (s.n) {
		size_t plain = 0;
		while (plain < s.n && is_plain(s.p[plain]))
			plain++;
		buf_add(b, (struct str){ s.p, plain });
		s = str_skip(s, plain);
		if (s.n)
			s = put_special(b, s);
	}
	buf_add_char(b, '"');
}

void json_put_double(struct buf *b, double v)
{
	char text[32];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_add(b, str_of(text));
}

void json_put_name(struct buf *b, const char *name)
{
	if (b->n && b->p[b->n - 1] != '{')
		buf_add_char(b, ',');
	json_put_string(b, str_of(name));
	buf_add_char(b, ':');
}
