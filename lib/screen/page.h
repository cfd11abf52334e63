/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - what a live view shows at one moment: lines of text, some with a bar */
#pragma once

#include "base/base.h"
#include "base/buf.h"

#define PAGE_COLUMNS 120

struct page_line {
	char text[PAGE_COLUMNS + 1];
	double bar;		/* after the text, 0 to 1 of the room; below 0: there is none */
};

/* All zero is a valid empty one; page_free() ends it. Text of others is made printable. */
struct page {
	char title[PAGE_COLUMNS + 1];
	char left[PAGE_COLUMNS + 1], right[PAGE_COLUMNS + 1];	/* which node, and when */
	char heading[PAGE_COLUMNS + 1];	/* below them */
	char columns[PAGE_COLUMNS + 1];
	char foot[PAGE_COLUMNS + 1];
	struct page_line *line;
	size_t n, cap;
};

void page_clear(struct page *p);
void page_free(struct page *p);
void page_text(char to[PAGE_COLUMNS + 1], const char *fmt, ...) PRINTF(2, 3);
void page_add(struct page *p, double bar, const char *fmt, ...) PRINTF(3, 4);

/* As plain text, bars drawn of "*", for who has no terminal. */
void page_put(const struct page *p, struct buf *b);
