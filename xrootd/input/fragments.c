/* SPDX-License-Identifier: BSD-3-Clause */
/* fragments.c - reassemble IP packets from their fragments */
#include "xrootd/input/fragments.h"

#include <string.h>

static bool fragments_same_packet(const struct ip_packet *a, const struct ip_packet *b)
{
	return a->id == b->id && a->protocol == b->protocol &&
	       memcmp(&a->source, &b->source, sizeof(a->source)) == 0 &&
	       memcmp(&a->destination, &b->destination, sizeof(a->destination)) == 0;
}

/* Free a slot, but keep its memory for the next packet. */
static void fragments_reset_slot(struct fragmented *s)
{
	struct buf data = s->data;
	data.n = 0;
	*s = (struct fragmented){ .data = data };
}

static void fragments_give_up(struct fragments *f, struct fragmented *s)
{
	f->given_up += s->used;
	fragments_reset_slot(s);
}

static void fragments_expire(struct fragments *f, int64_t now)
{
	for (size_t i = 0; i < FRAGMENTED_MAX; i++)
		if (f->slot[i].used && now - f->slot[i].began > FRAGMENTS_WAIT)
			fragments_give_up(f, &f->slot[i]);
}

static struct fragmented *fragments_get_slot(struct fragments *f, const struct ip_packet *p,
					     int64_t now)
{
	struct fragmented *best = &f->slot[0];
	for (size_t i = 0; i < FRAGMENTED_MAX; i++) {
		struct fragmented *s = &f->slot[i];
		if (s->used && fragments_same_packet(&s->packet, p))
			return s;
		if (best->used && (!s->used || s->began < best->began))
			best = s;
	}
	fragments_give_up(f, best);
	best->used = true;
	best->packet = *p;
	best->began = now;
	return best;
}

/* Copy the bytes of a fragment. Bytes that the capture file lacks become zeros. */
static void fragments_add_units(struct fragmented *s, const struct ip_packet *p)
{
	size_t stop = p->offset + p->size;
	if (s->data.n < stop) {
		buf_reserve(&s->data, stop - s->data.n);
		memset(s->data.p + s->data.n, 0, stop - s->data.n);
		s->data.n = stop;
	}
	for (size_t at = p->offset; at < stop; at += 8) {
		size_t n = stop - at < 8 ? stop - at : 8, in = at - p->offset;
		uint8_t bit = (uint8_t)(1u << (at / 8 % 8));
		if (s->unit[at / 64] & bit)
			continue;
		s->unit[at / 64] |= bit;
		s->have++;
		if (in < p->data.n)
			memcpy(s->data.p + at, p->data.p + in,
			       p->data.n - in < n ? p->data.n - in : n);
	}
	s->cut = s->cut || p->data.n < p->size;
	if (!p->more)
		s->end = stop;
}

bool fragments_add(struct fragments *f, struct ip_packet *p, int64_t now)
{
	size_t stop = p->offset + p->size;
	fragments_expire(f, now);
	if (stop > FRAGMENTS_MAX || !p->size || (p->more && p->size % 8 != 0))
		return false;
	struct fragmented *s = fragments_get_slot(f, p, now);
	fragments_add_units(s, p);
	if (!s->end || s->have < (s->end + 7) / 8)
		return false;
	p->offset = 0;
	p->more = false;
	p->size = s->end;
	p->data = (struct str){ s->data.p, s->cut && s->end ? s->end - 1 : s->end };
	fragments_reset_slot(s);
	return true;
}

void fragments_free(struct fragments *f)
{
	for (size_t i = 0; i < FRAGMENTED_MAX; i++) {
		fragments_give_up(f, &f->slot[i]);
		buf_free(&f->slot[i].data);
	}
}
