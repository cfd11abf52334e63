/* SPDX-License-Identifier: BSD-3-Clause */
/* line_word.c - names and values of tags in the Influx line protocol */
#include "formats/line/line_word.h"

/*
 * The protocol has escapes for a comma, an equals sign and a blank, and none for the end of a line
 * or for a backslash at the end of a word.
 */
void line_put_word(struct buf *b, struct str word)
{
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];
		if ((unsigned char)c < ' ' || c == 0x7f || (c == '\\' && i + 1 == word.n))
			c = '?';
		if (c == ',' || c == '=' || c == ' ')
			buf_add_char(b, '\\');
		buf_add_char(b, c);
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
