/* SPDX-License-Identifier: BSD-3-Clause */
/* page.c - the contents of one screen of a live view: lines of text, some with a bar */
#include "screen/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAIN_WIDTH 79

void page_clear(struct page *p)
{
	p->title[0] = p->left[0] = p->right[0] = p->heading[0] = p->columns[0] = p->foot[0] = '\0';
	p->n = 0;
}

void page_free(struct page *p)
{
	free(p->line);
	*p = (struct page){ 0 };
}

static void PRINTF(2, 0) page_set_text(char *to, const char *fmt, va_list args)
{
	vsnprintf(to, PAGE_COLUMNS + 1, fmt, args);
	for (char *c = to; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

void page_text(char to[PAGE_COLUMNS + 1], const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	page_set_text(to, fmt, args);
	va_end(args);
}

void page_add(struct page *p, double bar, const char *fmt, ...)
{
	va_list args;
	p->line = vec_reserve(p->line, &p->cap, p->n + 1, sizeof(*p->line));
	struct page_line *l = &p->line[p->n++];
	l->bar = bar;
	va_start(args, fmt);
	page_set_text(l->text, fmt, args);
	va_end(args);
}

static void page_put_bar(struct buf *b, const struct page_line *l)
{
	int room = PLAIN_WIDTH - (int)strlen(l->text) - 1;
	int n = room > 0 ? (int)((l->bar > 1 ? 1 : l->bar) * room + .5) : 0;
	if (n)
		buf_add_char(b, ' ');
	while (n-- > 0)
		buf_add_char(b, '*');
}

void page_put(const struct page *p, struct buf *b)
{
	buf_addf(b, "%*s\n", (int)(PLAIN_WIDTH + strlen(p->title)) / 2, p->title);
	int gap = PLAIN_WIDTH - (int)strlen(p->left) - (int)strlen(p->right);
	buf_addf(b, "%s%*s%s\n", p->left, gap > 1 ? gap : 1, "", p->right);
	if (p->heading[0])
		buf_addf(b, "%s\n", p->heading);
	if (p->columns[0])
		buf_addf(b, "%s\n", p->columns);
	for (size_t i = 0; i < p->n; i++) {
		buf_add(b, str_of(p->line[i].text));
		if (p->line[i].bar >= 0)
			page_put_bar(b, &p->line[i]);
		buf_add_char(b, '\n');
	}
	if (p->foot[0])
		buf_addf(b, "%s\n", p->foot);
}
