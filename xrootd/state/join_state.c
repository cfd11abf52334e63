/* SPDX-License-Identifier: BSD-3-Clause */
/* join_state.c - save and restore known users and files */
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "xrootd/join/sessions.h"
#include "xrootd/state/state_parts.h"
#include "xrootd/join/xrd_state.h"

/* Append the length of a text plus 1, and the text; or only 0 if `is` is false (no text). */
static void join_put_str(struct buf *b, bool is, struct str s)
{
	wire_put(b, is ? s.n + 1 : 0, 4);
	buf_add(b, s);
}

static void join_put_text(struct buf *b, const char *s)
{
	join_put_str(b, s, str_of(s ? s : ""));
}

static bool join_take_str(struct wire *w, struct str *s)
{
	uint32_t n = wire_u32(w);
	*s = wire_bytes(w, n ? n - 1 : 0);
	return n && !w->bad;
}

static void join_take_text(struct wire *w, struct xrd_join *j, struct xrd_entry *e, char **to)
{
	struct str s;
	if (join_take_str(w, &s))
		join_set_text(j, e, to, s);
}

static void join_put_numbers(struct buf *b, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		wire_put(b, (uint64_t)v[i], 8);
}

static void join_put_close(struct buf *b, const struct xrd_close *c)
{
	const struct xrd_record *r = &c->record;
	const struct xrd_ops *o = &r->ops;
	const int64_t all[] = {
		r->read, r->readv, r->write, o->read, o->readv, o->write, o->segments_min,
		o->segments_max, o->segments, o->read_min, o->read_max, o->readv_min,
		o->readv_max, o->write_min, o->write_max, c->window[0], c->window[1],
	};
	wire_put(b, r->flags, 1);
	join_put_numbers(b, all, ARRAY_SIZE(all));
	wire_put_double(b, r->ssq.read);
	wire_put_double(b, r->ssq.readv);
	wire_put_double(b, r->ssq.segments);
	wire_put_double(b, r->ssq.write);
	join_put_text(b, c->peer);
}

static void join_take_ops(struct wire *w, struct xrd_ops *o)
{
	o->read = (int32_t)wire_u64(w);
	o->readv = (int32_t)wire_u64(w);
	o->write = (int32_t)wire_u64(w);
	o->segments_min = (int16_t)wire_u64(w);
	o->segments_max = (int16_t)wire_u64(w);
	o->segments = (int64_t)wire_u64(w);
	o->read_min = (int32_t)wire_u64(w);
	o->read_max = (int32_t)wire_u64(w);
	o->readv_min = (int32_t)wire_u64(w);
	o->readv_max = (int32_t)wire_u64(w);
	o->write_min = (int32_t)wire_u64(w);
	o->write_max = (int32_t)wire_u64(w);
}

static void join_take_close(struct wire *w, struct xrd_join *j, struct xrd_file *f)
{
	struct xrd_record r = { .kind = XRD_CLOSE, .id = (uint32_t)f->entry.id };
	struct xrd_packet p = { .code = 'f' };
	enum xrd_end end = (enum xrd_end)f->end;
	r.flags = wire_u8(w);
	r.read = (int64_t)wire_u64(w);
	r.readv = (int64_t)wire_u64(w);
	r.write = (int64_t)wire_u64(w);
	join_take_ops(w, &r.ops);
	p.begin = (uint32_t)wire_u64(w);
	p.end = (uint32_t)wire_u64(w);
	r.ssq.read = wire_double(w);
	r.ssq.readv = wire_double(w);
	r.ssq.segments = wire_double(w);
	r.ssq.write = wire_double(w);
	join_close(j, f, &p, &r);
	join_take_text(w, j, &f->entry, &f->close->peer);
	f->end = (uint8_t)end;
}

enum { OPENED = 1, FOR_WRITE = 2, CLOSED = 4, ENDED = 8, WAITING = 16, MOVED = 32, T_OPENED = 64,
	T_CLOSED = 128 };

static unsigned join_file_flags(const struct xrd_file *f)
{
	return (f->opened ? OPENED : 0) | (f->for_write ? FOR_WRITE : 0) |
	       (f->closed ? CLOSED : 0) | (f->ended ? ENDED : 0) | (f->waiting ? WAITING : 0) |
	       (f->moved ? MOVED : 0) | (f->t_opened ? T_OPENED : 0) |
	       (f->t_closed ? T_CLOSED : 0);
}

static void join_put_file(struct buf *b, const struct xrd_file *f)
{
	const int64_t all[] = { f->due, f->size, f->read, f->readv, f->write, f->t_read,
				f->t_readv, f->t_written, f->t_reads, f->t_readvs,
				f->t_segments, f->t_writes, f->open_window[0], f->open_window[1],
				f->lost_at_open, f->copied };
	wire_put(b, join_file_flags(f), 1);
	wire_put(b, f->end, 1);
	wire_put(b, f->facts, 1);
	wire_put(b, f->client ? f->client->entry.id : 0, 4);
	join_put_numbers(b, all, ARRAY_SIZE(all));
	join_put_text(b, f->path);
	join_put_str(b, f->named, join_userid_of(f));
	wire_put(b, f->close != NULL, 1);
	if (f->close)
		join_put_close(b, f->close);
}

/* Read a file. Returns the number of its client, which may come later in the state. */
static uint32_t join_take_file(struct wire *w, struct xrd_join *j, struct xrd_file *f)
{
	struct str userid;
	unsigned flags = wire_u8(w);
	f->end = wire_u8(w);
	w->bad |= f->end > XRD_END_STOP;
	f->facts = wire_u8(w);
	uint32_t client = wire_u32(w);
	f->due = state_take_time(w);
	f->size = (int64_t)wire_u64(w);
	f->read = (int64_t)wire_u64(w);
	f->readv = (int64_t)wire_u64(w);
	f->write = (int64_t)wire_u64(w);
	f->t_read = (int64_t)wire_u64(w);
	f->t_readv = (int64_t)wire_u64(w);
	f->t_written = (int64_t)wire_u64(w);
	f->t_reads = (uint32_t)wire_u64(w);
	f->t_readvs = (uint32_t)wire_u64(w);
	f->t_segments = (uint32_t)wire_u64(w);
	f->t_writes = (uint32_t)wire_u64(w);
	f->open_window[0] = (uint32_t)wire_u64(w);
	f->open_window[1] = (uint32_t)wire_u64(w);
	f->lost_at_open = (uint32_t)wire_u64(w);
	f->copied = (int64_t)wire_u64(w);
	join_take_text(w, j, &f->entry, &f->path);
	if (join_take_str(w, &userid))
		join_set_userid(j, f, userid);
	if (wire_u8(w))
		join_take_close(w, j, f);
	f->opened = flags & OPENED;
	f->for_write = flags & FOR_WRITE;
	f->closed = flags & CLOSED;
	f->ended = flags & ENDED;
	f->moved = flags & MOVED;
	f->t_opened = flags & T_OPENED;
	f->t_closed = flags & T_CLOSED;
	if (flags & WAITING && !w->bad)
		join_wait(j, f);
	return client;
}

enum { SESSION = 1, READ_EXACT = 2, WRITE_EXACT = 4, SESSION_ENDED = 8, HAS_SECONDS = 16,
	SESSION_FORCED = 32 };

static void join_put_session(struct buf *b, const struct xrd_session *s)
{
	if (!s) {
		wire_put(b, 0, 1);
		return;
	}
	const int64_t all[] = { s->login_us, s->accesses, s->incomplete, s->read, s->readv,
				s->write, s->end_window[0], s->end_window[1], s->seconds };
	wire_put(b, SESSION | (s->read_is_exact ? READ_EXACT : 0) |
		    (s->write_is_exact ? WRITE_EXACT : 0) | (s->ended ? SESSION_ENDED : 0) |
		    (s->has_seconds ? HAS_SECONDS : 0) | (s->forced ? SESSION_FORCED : 0), 1);
	join_put_numbers(b, all, ARRAY_SIZE(all));
}

static void join_take_session(struct wire *w, struct xrd_join *j, struct xrd_client *c)
{
	unsigned flags = wire_u8(w);
	if (!(flags & SESSION) || w->bad)
		return;
	struct xrd_session *s = session_restore(j, c);
	s->read_is_exact = flags & READ_EXACT;
	s->write_is_exact = flags & WRITE_EXACT;
	s->ended = flags & SESSION_ENDED;
	s->has_seconds = flags & HAS_SECONDS;
	s->forced = flags & SESSION_FORCED;
	s->login_us = (int64_t)wire_u64(w);
	s->accesses = (uint32_t)wire_u64(w);
	s->incomplete = (uint32_t)wire_u64(w);
	s->read = (int64_t)wire_u64(w);
	s->readv = (int64_t)wire_u64(w);
	s->write = (int64_t)wire_u64(w);
	s->end_window[0] = (uint32_t)wire_u64(w);
	s->end_window[1] = (uint32_t)wire_u64(w);
	s->seconds = (uint32_t)wire_u64(w);
}

static void join_put_client(struct buf *b, const struct xrd_client *c)
{
	join_put_session(b, c->session);
	wire_put(b, c->known, 1);
	join_put_text(b, c->login);
	wire_put(b, c->facts ? c->facts->n : 0, 1);
	wire_put(b, c->facts ? c->facts->now : 0, 1);
	wire_put(b, c->facts && c->facts->forgotten, 1);
	wire_put(b, c->facts ? c->facts->forgotten_since : 0, 4);
	for (unsigned i = 0; c->facts && i < c->facts->n; i++) {
		wire_put(b, c->facts->of[i].since, 4);
		for (unsigned k = 0; k < FACT_KINDS; k++)
			join_put_text(b, c->facts->of[i].text[k]);
	}
}

static void join_take_facts(struct wire *w, struct xrd_join *j, struct xrd_client *c)
{
	unsigned n = wire_u8(w), now = wire_u8(w), forgotten = wire_u8(w);
	uint32_t forgotten_since = wire_u32(w);
	w->bad |= n > FACTS_MAX || (n && now >= n);
	for (unsigned i = 0; i < n && !w->bad; i++) {
		uint32_t since = wire_u32(w);
		struct str text[FACT_KINDS];
		bool is[FACT_KINDS];
		for (unsigned k = 0; k < FACT_KINDS; k++)
			is[k] = join_take_str(w, &text[k]);
		facts_restore(&j->table, c, text, is, since);
	}
	if (!n || w->bad)
		return;
	c->facts->now = (uint8_t)now;
	c->facts->forgotten = forgotten;
	c->facts->forgotten_since = forgotten_since;
	c->texts = ++j->texts;
}

static void join_take_client(struct wire *w, struct xrd_join *j, struct xrd_client *c)
{
	struct str s;
	join_take_session(w, j, c);
	c->known = wire_u8(w);
	if (join_take_str(w, &s))
		join_set_login(j, c, s);
	join_take_facts(w, j, c);
}

static void join_put_entry(struct buf *b, const struct xrd_entry *e)
{
	wire_put(b, e->kind, 1);
	wire_put(b, e->has_ended, 1);
	wire_put(b, e->server, 4);
	wire_put(b, e->id, 8);
	wire_put(b, (uint64_t)e->touched, 8);
	if (e->kind == CLIENT)
		join_put_client(b, (const struct xrd_client *)e);
	else if (e->kind == LOGIN)
		wire_put(b, ((const struct xrd_login *)e)->client, 4);
	else
		join_put_file(b, (const struct xrd_file *)e);
}

/* Files that are linked to their clients once all entries are read. */
struct client_links {
	size_t n, cap;
	struct {
		struct xrd_file *file;
		uint32_t client;
	} *of;
};

static void join_add_link(struct client_links *l, struct xrd_file *f, uint32_t client)
{
	if (!client)
		return;
	l->of = vec_reserve(l->of, &l->cap, l->n + 1, sizeof(*l->of));
	l->of[l->n].file = f;
	l->of[l->n++].client = client;
}

static const size_t sizes[] = {
	[CLIENT] = sizeof(struct xrd_client), [FILE_ENTRY] = sizeof(struct xrd_file),
	[LOGIN] = sizeof(struct xrd_login),
};

static void join_take_entry(struct wire *w, struct xrd_join *j, uint16_t holder,
			    struct client_links *links)
{
	uint8_t kind = wire_u8(w), gone = wire_u8(w);
	uint32_t server = wire_u32(w);
	uint64_t id = wire_u64(w);
	int64_t touched = state_take_time(w);
	w->bad |= kind >= ARRAY_SIZE(sizes) || gone > 1;
	if (w->bad)
		return;
	struct xrd_entry *e = join_restore_entry(j, kind, id, sizes[kind], server, holder);
	if (kind == CLIENT)
		join_take_client(w, j, (struct xrd_client *)e);
	else if (kind == LOGIN)
		((struct xrd_login *)e)->client = wire_u32(w);
	else
		join_add_link(links, (struct xrd_file *)e,
			      join_take_file(w, j, (struct xrd_file *)e));
	if (gone)
		xrd_table_retire(&j->table, e, touched);
	else
		xrd_table_touch(&j->table, e, touched);
}

static void join_put_counts(struct buf *b, const struct xrd_join_counts *c)
{
	const int64_t all[] = {
		(int64_t)c->datagrams, (int64_t)c->bad, (int64_t)c->summary, (int64_t)c->unknown,
		(int64_t)c->evicted, (int64_t)c->unwritten, (int64_t)c->transfers,
		(int64_t)c->incomplete,
	};
	join_put_numbers(b, all, ARRAY_SIZE(all));
}

static void join_take_counts(struct wire *w, struct xrd_join_counts *c)
{
	c->datagrams = wire_u64(w);
	c->bad = wire_u64(w);
	c->summary = wire_u64(w);
	c->unknown = wire_u64(w);
	c->evicted = wire_u64(w);
	c->unwritten = wire_u64(w);
	c->transfers = wire_u64(w);
	c->incomplete = wire_u64(w);
}

/*
 * Append the entries of a sender, the oldest first, so that restoring them one by one keeps their
 * order.
 */
static void join_put_holder(struct buf *b, const struct holder *h)
{
	uint32_t n = 0;
	buf_add(b, (struct str){ (const char *)&h->address, sizeof(h->address) });
	size_t at = b->n;
	wire_put(b, 0, 4);
	for (int gone = 0; gone < 2; gone++)
		for (const struct xrd_entry *e = h->age[gone].oldest; e; e = e->newer, n++)
			join_put_entry(b, e);
	for (size_t i = 0; i < 4; i++)
		b->p[at + i] = (char)(n >> (24 - 8 * i));
}

static void join_take_holder(struct wire *w, struct xrd_join *j, struct client_links *links)
{
	struct in6_addr address;
	struct str a = wire_bytes(w, sizeof(address));
	uint32_t n = wire_u32(w);
	if (w->bad)
		return;
	memcpy(&address, a.p, a.n);
	uint16_t holder = n ? holders_number(&j->servers.holders, &address) : 0;
	while (n-- > 0 && !w->bad)
		join_take_entry(w, j, holder, links);
}

void join_put_state(struct buf *b, const struct xrd_join *j)
{
	const struct holders *h = &j->servers.holders;
	wire_put(b, (uint64_t)j->now, 8);
	join_put_counts(b, &j->counts);
	servers_put_state(b, &j->servers);
	wire_put(b, h->n, 4);
	for (size_t i = 0; i < h->n; i++)
		join_put_holder(b, &h->of[i]);
}

static void join_link_all(struct xrd_join *j, const struct client_links *links)
{
	for (size_t i = 0; i < links->n; i++) {
		struct xrd_file *f = links->of[i].file;
		join_client(j, f, (struct xrd_client *)xrd_table_find(
			&j->table, f->entry.server, CLIENT, links->of[i].client));
	}
}

void join_take_state(struct wire *w, struct xrd_join *j)
{
	struct client_links links = { .n = 0 };
	j->now = state_take_time(w);
	join_take_counts(w, &j->counts);
	servers_take_state(w, &j->servers);
	uint32_t n = wire_u32(w);
	while (n-- > 0 && !w->bad)
		join_take_holder(w, j, &links);
	join_link_all(j, &links);
	free(links.of);
}
