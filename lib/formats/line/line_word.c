/* SPDX-License-Identifier: BSD-3-Clause */
/* line_word.c - write tag names and values of the Influx line protocol */
#include "formats/line/line_word.h"

#include "base/utf8.h"

/*
 * Append a word, with commas, equals signs and blanks escaped. Line ends, and a backslash at the
 * end of the word, become "?", because the protocol has no escape for them. Bytes that are not
 * UTF-8 also become "?", because receivers refuse a line with such bytes.
 */
void line_put_word(struct buf *b, struct str word)
{
	struct str c;
	while (word.n) {
		bool good = utf8_take(&word, &c) && (unsigned char)*c.p >= ' ' && *c.p != 0x7f &&
			    (*c.p != '\\' || word.n);
		if (*c.p == ',' || *c.p == '=' || *c.p == ' ')
			buf_add_char(b, '\\');
		buf_add(b, good ? c : STR("?"));
	}
}

void line_put_tag(struct buf *b, struct str name, struct str value)
{
	if (!value.n)
		return;
	buf_add_char(b, ',');
	line_put_word(b, name);
	buf_add_char(b, '=');
	line_put_word(b, value);
}
