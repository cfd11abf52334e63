/* SPDX-License-Identifier: BSD-3-Clause */
/* html.h - parts of a self-contained web page */
#pragma once

#include "base/buf.h"

/*
 * Append the start of a page, from <!DOCTYPE html> to the heading. All functions of this file take
 * plain text, and escape it for HTML.
 */
void html_begin(struct buf *b, const char *title);
/*
 * Like html_begin(), but the page also runs the script in the file `script`, in the folder of the
 * page. The file name is not escaped.
 */
void html_begin_beside(struct buf *b, const char *title, const char *script);
/*
 * End the page. Its script sorts a table of class "sorts" when a reader clicks on a column title.
 */
void html_end(struct buf *b);

void html_put_text(struct buf *b, const char *text);
/* Append <NAME>TEXT</NAME>. */
void html_put_element(struct buf *b, const char *name, const char *text);

/* Begin a frame that scrolls if the table or chart in it is wider than the window. */
#define HTML_WIDE "<div class=\"wide\" tabindex=\"0\">"
void html_end_table(struct buf *b);	/* ends <tbody>, <table> and the frame HTML_WIDE */

/* A chart over time. If .svg is empty, there is no chart, and .why_not is the reason (or NULL). */
struct html_drawing {
	struct str svg;
	/* titles of the panels, as text for readers who cannot see the chart */
	const char *words;
	const char *why_not;
};
void html_put_chart(struct buf *b, const struct html_drawing *d);
