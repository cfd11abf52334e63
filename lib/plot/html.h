/* SPDX-License-Identifier: BSD-3-Clause */
/* html.h - pieces of a page for a browser, which needs no other file and asks nobody */
#pragma once

#include "base/buf.h"

/* From <!DOCTYPE html> to the heading; plain text, as all texts here. */
void html_begin(struct buf *b, const char *title);
/* The same of a page that runs a script file, which lies beside it. */
void html_begin_beside(struct buf *b, const char *title, const char *script);
/* Tables of class "sorts" are sorted by a click on the name of a column. */
void html_end(struct buf *b);

void html_put_text(struct buf *b, const char *text);
/* <NAME>TEXT</NAME> */
void html_put_element(struct buf *b, const char *name, const char *text);

/* Where the window is narrower than a table or a chart, keys scroll it, too. */
#define HTML_WIDE "<div class=\"wide\" tabindex=\"0\">"
void html_end_table(struct buf *b);	/* ends its HTML_WIDE, too */

/* A picture over time, or, if .svg is empty, why there is none. */
struct drawing {
	struct str svg;
	const char *words;	/* panels of .svg, for readers who do not see it */
	const char *why_not;
};
void html_put_chart(struct buf *b, const struct drawing *d);
