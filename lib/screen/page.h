/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - the contents of one screen of a live view: lines of text, some with a bar */
#pragma once

#include "base/base.h"
#include "base/buf.h"

#define PAGE_COLUMNS 120

struct page_line {
	char text[PAGE_COLUMNS + 1];
	/*
	 * length of the bar after the text, as a fraction of the rest of the line; negative: no bar
	 */
	double bar;
};

/*
 * A page. All zero is an empty page; page_free() releases it. Unprintable characters of texts
 * become "?".
 */
struct page {
	char title[PAGE_COLUMNS + 1];
	char left[PAGE_COLUMNS + 1], right[PAGE_COLUMNS + 1];	/* host name and time */
	char heading[PAGE_COLUMNS + 1];	/* line below .left and .right */
	char columns[PAGE_COLUMNS + 1];
	char foot[PAGE_COLUMNS + 1];
	struct page_line *line;
	size_t n, cap;
};

void page_clear(struct page *p);
void page_free(struct page *p);
void page_text(char to[PAGE_COLUMNS + 1], const char *fmt, ...) PRINTF(2, 3);
void page_add(struct page *p, double bar, const char *fmt, ...) PRINTF(3, 4);

/* Append the page as plain text, with bars of "*", for output that is not a terminal. */
void page_put(const struct page *p, struct buf *b);
