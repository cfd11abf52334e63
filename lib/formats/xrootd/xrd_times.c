/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_times.c - estimate the times of events */
#include "formats/xrootd/xrd_times.h"

#define SECOND 1000000

/* Find the next window record. Returns the number of records before it. */
static uint32_t xrd_times_look_ahead(struct xrd_packet p, struct xrd_record *window)
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

static void xrd_times_set_window(struct xrd_times *t, int64_t begin, int64_t end, uint32_t n)
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
		xrd_times_set_window(t, p->begin, p->end, xrd_times_look_ahead(*p, &ignored));
}

/*
 * Begin the time window of the window record `mark`. In the t-stream, the next window record has
 * the end of this window; in the r-stream, the next window record has the length of this window.
 */
static void xrd_times_enter_window(struct xrd_times *t, const struct xrd_packet *p,
				   const struct xrd_record *mark)
{
	struct xrd_record next = *mark;
	uint32_t n = xrd_times_look_ahead(*p, &next);
	int64_t begin = mark->window_begin;
	xrd_times_set_window(t, begin, p->code == 't' ? next.window_end : begin + next.seconds, n);
}

void xrd_times_next(struct xrd_times *t, const struct xrd_packet *p, const struct xrd_record *r)
{
	if (r->kind == XRD_WINDOW && (p->code == 't' || p->code == 'r')) {
		xrd_times_enter_window(t, p, r);
		return;
	}
	if (t->n == 0)
		return;
	t->at = t->begin + (t->end - t->begin) / (2 * (int64_t)t->n) * (2 * (int64_t)t->i + 1);
	if (t->i + 1 < t->n)
		t->i++;
}
