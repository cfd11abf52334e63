/* SPDX-License-Identifier: BSD-3-Clause */
/* pending.c - record groups that could not be written yet */
#include "agent/pending.h"

#include <string.h>

static void cut(struct buf *b, size_t at, size_t n)
{
	memmove(b->p + at, b->p + at + n, b->n - at - n);
	b->n -= n;
}

/* Its header goes to the next group, if that one has none of its own. */
static void drop_oldest(struct pending *p)
{
	size_t header = p->part[0].header;
	cut(&p->text, header, p->part[0].group);
	p->n--;
	memmove(&p->part[0], &p->part[1], p->n * sizeof(p->part[0]));
	if (p->n && !p->part[0].header)
		p->part[0].header = header;
	else
		cut(&p->text, 0, header);
	p->lost++;
}

void pending_add(struct pending *p, int64_t usec, struct str header, struct str group)
{
	size_t need = header.n + group.n;
	if (need > PENDING_BYTES_MAX) {
		while (header.n && p->n)	/* the next one must not follow an older schema */
			drop_oldest(p);
		p->lost++;
		return;
	}
	while (p->n == PENDING_GROUPS_MAX || (p->n && p->text.n + need > PENDING_BYTES_MAX))
		drop_oldest(p);
	buf_add(&p->text, header);
	buf_add(&p->text, group);
	p->part[p->n].header = header.n;
	p->part[p->n].group = group.n;
	p->part[p->n++].usec = usec;
}

void pending_clear(struct pending *p)
{
	buf_free(&p->text);
	p->n = 0;
}
