/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.c - characters of more than one byte, and text of others that a terminal may be shown */
#include "base/utf8.h"

#include <string.h>
#include "base/base.h"

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

size_t utf8_length(struct str s)
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

bool utf8_is_control(struct str s)
{
	return s.n >= 2 && (unsigned char)s.p[0] == 0xc2 && (unsigned char)s.p[1] < 0xa0;
}

void utf8_make_printable(char *text, size_t n)
{
	struct str s = { text, n };
	while (s.n) {
		char *at = text + (n - s.n);
		unsigned char c = (unsigned char)*at;
		size_t length = c < 0x80 ? 1 : utf8_length(s);
		bool bad = length == 0 || c < ' ' || c == 0x7f || utf8_is_control(s);
		length = length ? length : 1;
		if (bad)
			memset(at, '?', length);
		s = str_skip(s, length);
	}
}
