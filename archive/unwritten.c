/* SPDX-License-Identifier: BSD-3-Clause */
/* unwritten.c - record groups that could not be written yet */
#include "archive/unwritten.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void cut(struct buf *b, size_t at, size_t n)
{
	memmove(b->p + at, b->p + at + n, b->n - at - n);
	b->n -= n;
}

/* The header of the group goes to the next one, if that has none of its own. */
static void take_out(struct unwritten *p, size_t i)
{
	struct unwritten_group *g = &p->part[i];
	size_t at = 0, header = g->header;
	for (size_t k = 0; k < i; k++)
		at += p->part[k].header + p->part[k].group;
	cut(&p->text, at + header, g->group);
	free(g->left);
	p->n--;
	memmove(g, g + 1, (p->n - i) * sizeof(*g));
	if (i < p->n && !g->header) {
		g->header = header;
		return;
	}
	cut(&p->text, at, header);
	p->wants_header |= i == p->n && header;
}

/* The oldest that may go: SIZE_MAX where there is none. */
static size_t find_least(const struct unwritten *p, bool marked)
{
	for (size_t i = p->held; i < p->n; i++)
		if (!p->part[i].marked)
			return i;
	return marked && p->held < p->n ? p->held : SIZE_MAX;
}

static bool fits(const struct unwritten *p, size_t need)
{
	return p->n < UNWRITTEN_GROUPS_MAX && p->text.n + need <= UNWRITTEN_BYTES_MAX;
}

static bool make_room(struct unwritten *p, size_t need, bool marked)
{
	if (need > UNWRITTEN_BYTES_MAX)
		return false;
	while (!fits(p, need)) {
		size_t i = find_least(p, marked);
		if (i == SIZE_MAX)
			return false;
		take_out(p, i);
		p->lost++;
	}
	return true;
}

int unwritten_add(struct unwritten *p, int64_t usec, struct str header, struct str group,
		  bool marked)
{
	if (!make_room(p, header.n + group.n, marked)) {
		p->lost++;
		p->wants_header |= header.n > 0;
		return -ENOSPC;
	}
	if (p->wants_header && !header.n)
		return -EAGAIN;
	buf_add(&p->text, header);
	buf_add(&p->text, group);
	p->part[p->n++] = (struct unwritten_group){
		.header = header.n, .group = group.n, .usec = usec, .marked = marked,
	};
	p->wants_header = false;
	return 0;
}

void unwritten_done(struct unwritten *p, size_t n)
{
	p->held = 0;
	for (size_t i = 0; i < n && p->n; i++)
		take_out(p, 0);
}

void unwritten_clear(struct unwritten *p)
{
	unwritten_done(p, p->n);
	buf_free(&p->text);
	p->wants_header = false;
}
