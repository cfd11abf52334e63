/* SPDX-License-Identifier: BSD-3-Clause */
/* servers_state.c - save and restore servers and their held datagrams */
#include "xrootd/state/state_parts.h"

#include <stdlib.h>

static void server_put_counts(struct buf *b, const struct xrd_counts *c)
{
	for (size_t i = 0; i < XRD_COUNTS; i++)
		wire_put(b, c->n[i], 8);
}

static struct xrd_counts server_take_counts(struct wire *w)
{
	struct xrd_counts c;
	for (size_t i = 0; i < XRD_COUNTS; i++)
		c.n[i] = wire_u64(w);
	return c;
}

static void server_put_order(struct buf *b, const struct xrd_order *o)
{
	wire_put(b, o->wrap, 2);
	wire_put(b, o->started, 1);
	wire_put(b, o->next, 2);
	wire_put(b, (uint64_t)o->newest, 8);
	wire_put(b, o->seen, 4);
	wire_put(b, o->lost, 4);
	wire_put(b, o->n_held, 1);
	for (size_t i = 0; i < o->n_held; i++) {
		wire_put(b, o->held[i].seq, 2);
		wire_put(b, (uint64_t)o->held[i].arrived, 8);
		state_put_text(b, (struct str){ o->held[i].p, o->held[i].n });
	}
}

static void server_take_held(struct wire *w, struct xrd_servers *all, struct xrd_order *o)
{
	struct xrd_held h = { .seq = wire_u16(w) };
	h.arrived = state_take_time(w);
	struct str s = state_take_text(w);
	w->bad |= h.seq >= o->wrap;
	if (w->bad)
		return;
	h.n = s.n;
	h.p = xrealloc(NULL, s.n + 1);
	memcpy(h.p, s.p, s.n);
	all->held_bytes += s.n;
	o->held[o->n_held++] = h;
}

static void server_take_order(struct wire *w, struct xrd_servers *all, struct xrd_order *o)
{
	o->wrap = wire_u16(w);
	o->started = wire_u8(w);
	o->next = wire_u16(w);
	o->newest = state_take_time(w);
	o->seen = wire_u32(w);
	o->lost = wire_u32(w);
	size_t n = wire_u8(w);
	w->bad |= !o->wrap || o->next >= o->wrap || n >= XRD_ORDER_HELD;
	while (n-- > 0 && !w->bad)
		server_take_held(w, all, o);
}

enum { COUNTS = 1, KNOWN = 2, HAS_SID = 4, CACHE = 8, REQUESTS = 16, COPIES = 32,
	SURE_SID = 64, LOOSE_SID = 128 };

static void server_put_learning(struct buf *b, const struct numbering *n)
{
	wire_put(b, n != NULL, 1);
	if (!n)
		return;
	server_put_order(b, &n->as_one);
	server_put_counts(b, &n->if_shared);
	server_put_counts(b, &n->if_apart);
	wire_put(b, n->hints, 1);
}

static void server_take_learning(struct wire *w, struct xrd_port *p)
{
	struct xrd_servers none = { .n = 0 };
	struct xrd_order empty = { .wrap = 1 };
	if (!wire_u8(w))
		return;
	p->learning = numbering_begin(&empty);
	server_take_order(w, &none, &p->learning->as_one);
	p->learning->if_shared = server_take_counts(w);
	p->learning->if_apart = server_take_counts(w);
	p->learning->hints = wire_u8(w);
	/*
	 * numbering compares the counters of the first two lanes (map records, f-stream): both must
	 * exist
	 */
	w->bad |= !p->lane[0] || !p->lane[1] || none.held_bytes;
}

static unsigned server_flags(const struct xrd_server *s)
{
	return (s->counts ? COUNTS : 0) | (s->known ? KNOWN : 0) | (s->has_sid ? HAS_SID : 0) |
	       (s->cache ? CACHE : 0) | (s->requests ? REQUESTS : 0) |
	       (s->copies ? COPIES : 0) | (s->has_sure_sid ? SURE_SID : 0) |
	       (s->has_loose_sid ? LOOSE_SID : 0);
}

static void server_put_port(struct buf *b, const struct xrd_port *p)
{
	wire_put(b, p->port, 2);
	wire_put(b, p->is_second, 1);
	wire_put(b, (uint64_t)p->last, 8);
	for (size_t i = 0; i < XRD_LANES; i++) {
		wire_put(b, p->lane[i] != NULL, 1);
		if (p->lane[i])
			server_put_order(b, p->lane[i]);
	}
	server_put_learning(b, p->learning);
}

static void server_take_port(struct wire *w, struct xrd_servers *all, struct xrd_port *p)
{
	p->port = wire_u16(w);
	p->is_second = wire_u8(w);
	p->last = state_take_time(w);
	for (size_t i = 0; i < XRD_LANES && !w->bad; i++)
		if (wire_u8(w)) {
			p->lane[i] = calloc(1, sizeof(*p->lane[i]));
			if (!p->lane[i])
				abort();
			server_take_order(w, all, p->lane[i]);
		}
	if (!w->bad)
		server_take_learning(w, p);
}

static void server_put_state(struct buf *b, const struct xrd_server *s)
{
	const char *const texts[] = { s->ip, s->host, s->site, s->instance, s->program,
				      s->version, s->port };
	buf_add(b, (struct str){ (const char *)&s->source.address, sizeof(s->source.address) });
	wire_put(b, s->source.port, 2);
	wire_put(b, s->start, 4);
	wire_put(b, s->number, 4);
	wire_put(b, (uint64_t)s->last, 8);
	wire_put(b, server_flags(s), 1);
	wire_put(b, s->numbering, 1);
	wire_put(b, s->sid, 8);
	wire_put(b, s->release, 4);
	wire_put(b, s->n_open, 8);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		state_put_text(b, str_of(texts[i]));
	server_put_counts(b, &s->seen);
	server_put_counts(b, &s->reported);
	for (size_t i = 0; i < XRD_PORTS; i++)
		server_put_port(b, &s->port_of[i]);
	for (size_t i = 0; i < XRD_RECENT; i++) {
		wire_put(b, s->recent.content[i], 8);
		wire_put(b, s->recent.seq[i], 2);
		wire_put(b, s->recent.port[i], 2);
	}
	wire_put(b, s->recent.next, 1);
}

static void server_take_state(struct wire *w, struct xrd_servers *all)
{
	struct xrd_source from = { .name = NULL };
	struct str address = wire_bytes(w, sizeof(from.address));
	if (w->bad)
		return;
	memcpy(&from.address, address.p, address.n);
	from.port = wire_u16(w);
	struct xrd_server *s = xrd_server_add(all, &from, wire_u32(w));
	const struct {
		char *to;
		size_t size;
	} texts[] = {
		{ s->ip, sizeof(s->ip) }, { s->host, sizeof(s->host) },
		{ s->site, sizeof(s->site) }, { s->instance, sizeof(s->instance) },
		{ s->program, sizeof(s->program) }, { s->version, sizeof(s->version) },
		{ s->port, sizeof(s->port) },
	};
	s->number = wire_u32(w);
	s->last = state_take_time(w);
	unsigned flags = wire_u8(w);
	s->numbering = wire_u8(w);
	w->bad |= s->numbering > XRD_NUMBERS_SHARED;
	s->counts = flags & COUNTS;
	s->known = flags & KNOWN;
	s->has_sid = flags & HAS_SID;
	s->cache = flags & CACHE;
	s->requests = flags & REQUESTS;
	s->copies = flags & COPIES;
	s->has_sure_sid = flags & SURE_SID;
	s->has_loose_sid = flags & LOOSE_SID;
	s->sid = wire_u64(w);
	s->release = wire_u32(w);
	s->n_open = wire_u64(w);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		str_copy(texts[i].to, texts[i].size, state_take_text(w));
	s->seen = server_take_counts(w);
	s->reported = server_take_counts(w);
	for (size_t i = 0; i < XRD_PORTS && !w->bad; i++)
		server_take_port(w, all, &s->port_of[i]);
	for (size_t i = 0; i < XRD_RECENT && !w->bad; i++) {
		s->recent.content[i] = wire_u64(w);
		s->recent.seq[i] = wire_u16(w);
		s->recent.port[i] = wire_u16(w);
	}
	s->recent.next = wire_u8(w);
}

void servers_put_state(struct buf *b, const struct xrd_servers *all)
{
	wire_put(b, all->evicted, 8);
	server_put_counts(b, &all->gone);
	wire_put(b, all->n, 4);
	for (size_t i = 0; i < all->n; i++)
		server_put_state(b, all->server[i]);
	wire_put(b, all->numbers, 4);
}

void servers_take_state(struct wire *w, struct xrd_servers *all)
{
	all->evicted = wire_u64(w);
	all->gone = server_take_counts(w);
	uint32_t n = wire_u32(w);
	w->bad |= n > XRD_SERVERS_MAX;
	while (n-- > 0 && !w->bad)
		server_take_state(w, all);
	all->numbers = wire_u32(w);
}
