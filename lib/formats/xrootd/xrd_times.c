/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_times.c - when the events of a datagram happened */
#include "formats/xrootd/xrd_times.h"

#define SECOND 1000000

/* Looks ahead to the next window, or to the end; how many events are before it. */
static uint32_t look_ahead(struct xrd_packet p, struct xrd_record *window)
{
	struct xrd_record r;
	uint32_t n = 0;
	while (xrd_next(&p, &r) > 0) {
		if (r.kind == XRD_WINDOW) {
			*window = r;
			break;
		}
		n++;
	}
	return n;
}

static void set_window(struct xrd_times *t, int64_t begin, int64_t end, uint32_t n)
{
	t->estimated = true;
	t->begin = begin * SECOND;
	t->end = (end < begin ? begin : end) * SECOND;
	t->at = t->begin;
	t->n = n;
	t->i = 0;
}

void xrd_times_start(struct xrd_times *t, const struct xrd_packet *p, int64_t arrived)
{
	struct xrd_record ignored;
	*t = (struct xrd_times){ .begin = arrived, .end = arrived, .at = arrived };
	if (p->code == 'f' || (p->code == 'g' && p->begin))
		set_window(t, p->begin, p->end, look_ahead(*p, &ignored));
}

/*
 * t: a mark has the end of the window before it, and the start of its own. r: it has its own
 * start, and the size to be added to the start of the window before it.
 */
static void enter(struct xrd_times *t, const struct xrd_packet *p, const struct xrd_record *mark)
{
	struct xrd_record next = *mark;
	uint32_t n = look_ahead(*p, &next);
	int64_t begin = mark->window_begin;
	set_window(t, begin, p->code == 't' ? next.window_end : begin + next.seconds, n);
}

void xrd_times_next(struct xrd_times *t, const struct xrd_packet *p, const struct xrd_record *r)
{
	if (r->kind == XRD_WINDOW && (p->code == 't' || p->code == 'r')) {
		enter(t, p, r);
		return;
	}
	if (t->n == 0)
		return;
	t->at = t->begin + (t->end - t->begin) / (2 * (int64_t)t->n) * (2 * (int64_t)t->i + 1);
	if (t->i + 1 < t->n)
		t->i++;
}
