/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c - writes JSON (RFC 8259) */
#include "formats/json.h"

/* The length of the UTF-8 sequence at the front (RFC 3629), 0 if there is none. */
static size_t utf8_length(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	unsigned char low = 0x80, high = 0xbf;
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;	/* overlong */
	if (p[0] == 0xed)
		high = 0x9f;	/* surrogates */
	if (p[0] == 0xf0)
		low = 0x90;	/* overlong */
	if (p[0] == 0xf4)
		high = 0x8f;	/* beyond U+10FFFF */
	if (s.n < n || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return n;
}

void json_put_string(struct buf *b, struct str s)
{
	buf_add_char(b, '"');
	while (s.n) {
		unsigned char c = (unsigned char)*s.p;
		size_t n = utf8_length(s);
		if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", c);
		else if (c == '\n')
			buf_add(b, STR("\\n"));
		else if (c == '\t')
			buf_add(b, STR("\\t"));
		else if (c < ' ' || c == 0x7f)
			buf_addf(b, "\\u%04x", c);
		else if (n == 0)
			buf_add(b, STR("\\ufffd"));
		else
			buf_add(b, (struct str){ s.p, n });
		s = str_skip(s, n ? n : 1);
	}
	buf_add_char(b, '"');
}

void json_put_name(struct buf *b, const char *name)
{
	if (b->n && b->p[b->n - 1] != '{')
		buf_add_char(b, ',');
	json_put_string(b, str_of(name));
	buf_add_char(b, ':');
}
