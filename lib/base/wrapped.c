/* SPDX-License-Identifier: BSD-3-Clause */
/* wrapped.c - wrap sentences into lines of at most 76 columns */
#include "base/wrapped.h"

#define LINE 76

void wrapped_put(struct buf *b, int indent, struct str text)
{
	struct str word;
	size_t at = LINE;
	bool first = true;

	while (str_take_word(&text, &word)) {
		if (at + 1 + word.n > LINE) {
			buf_addf(b, "%s%*s", first ? "" : "\n", indent, "");
			at = (size_t)indent;
			first = false;
		} else {
			buf_add_char(b, ' ');
			at++;
		}
		buf_add(b, word);
		at += word.n;
	}
	buf_add_char(b, '\n');
}
