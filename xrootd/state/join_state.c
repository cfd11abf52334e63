/* SPDX-License-Identifier: BSD-3-Clause */
/* join_state.c - users and files that are known, to and from a saved state */
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "tracers/xrootd/state/state_parts.h"
#include "tracers/xrootd/join/xrd_state.h"

/* Each text is one longer there, so that 0 says that there is none. */
static void put_str(struct buf *b, bool is, struct str s)
{
	wire_put(b, is ? s.n + 1 : 0, 4);
	buf_add(b, s);
}

static void put_text(struct buf *b, const char *s)
{
	put_str(b, s, str_of(s ? s : ""));
}

static bool take_str(struct wire *w, struct str *s)
{
	uint32_t n = wire_u32(w);
	*s = wire_bytes(w, n ? n - 1 : 0);
	return n && !w->bad;
}

static void take_text(struct wire *w, struct xrd_join *j, struct xrd_entry *e, char **to)
{
	struct str s;
	if (take_str(w, &s))
		join_set_text(j, e, to, s);
}

static void put_numbers(struct buf *b, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		wire_put(b, (uint64_t)v[i], 8);
}

static void put_close(struct buf *b, const struct xrd_close *c)
{
	const struct xrd_record *r = &c->record;
	const struct xrd_ops *o = &r->ops;
	const int64_t all[] = {
		r->read, r->readv, r->write, o->read, o->readv, o->write, o->segments_min,
		o->segments_max, o->segments, o->read_min, o->read_max, o->readv_min,
		o->readv_max, o->write_min, o->write_max, c->window[0], c->window[1],
	};
	wire_put(b, r->flags, 1);
	put_numbers(b, all, ARRAY_SIZE(all));
	wire_put_double(b, r->ssq.read);
	wire_put_double(b, r->ssq.readv);
	wire_put_double(b, r->ssq.segments);
	wire_put_double(b, r->ssq.write);
	put_text(b, c->peer);
}

static void take_ops(struct wire *w, struct xrd_ops *o)
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

static void take_close(struct wire *w, struct xrd_join *j, struct xrd_file *f)
{
	struct xrd_record r = { .kind = XRD_CLOSE, .id = (uint32_t)f->entry.id };
	struct xrd_packet p = { .code = 'f' };
	enum xrd_end end = (enum xrd_end)f->end;
	r.flags = wire_u8(w);
	r.read = (int64_t)wire_u64(w);
	r.readv = (int64_t)wire_u64(w);
	r.write = (int64_t)wire_u64(w);
	take_ops(w, &r.ops);
	p.begin = (uint32_t)wire_u64(w);
	p.end = (uint32_t)wire_u64(w);
	r.ssq.read = wire_double(w);
	r.ssq.readv = wire_double(w);
	r.ssq.segments = wire_double(w);
	r.ssq.write = wire_double(w);
	join_close(j, f, &p, &r);
	take_text(w, j, &f->entry, &f->close->peer);
	f->end = (uint8_t)end;
}

enum { OPENED = 1, FOR_WRITE = 2, CLOSED = 4, ENDED = 8, WAITING = 16, MOVED = 32, T_OPENED = 64,
	T_CLOSED = 128 };

static unsigned flags_of(const struct xrd_file *f)
{
	return (f->opened ? OPENED : 0) | (f->for_write ? FOR_WRITE : 0) |
	       (f->closed ? CLOSED : 0) | (f->ended ? ENDED : 0) | (f->waiting ? WAITING : 0) |
	       (f->moved ? MOVED : 0) | (f->t_opened ? T_OPENED : 0) |
	       (f->t_closed ? T_CLOSED : 0);
}

static void put_file(struct buf *b, const struct xrd_file *f)
{
	const int64_t all[] = { f->due, f->size, f->read, f->readv, f->write, f->t_read,
				f->t_readv, f->t_written, f->t_reads, f->t_readvs,
				f->t_segments, f->t_writes, f->open_window[0], f->open_window[1],
				f->lost_at_open, f->copied };
	wire_put(b, flags_of(f), 1);
	wire_put(b, f->end, 1);
	wire_put(b, f->client ? f->client->entry.id : 0, 4);
	put_numbers(b, all, ARRAY_SIZE(all));
	put_text(b, f->path);
	put_str(b, f->named, join_userid_of(f));
	wire_put(b, f->close != NULL, 1);
	if (f->close)
		put_close(b, f->close);
}

/* The number of its client: that may come later. */
static uint32_t take_file(struct wire *w, struct xrd_join *j, struct xrd_file *f)
{
	struct str userid;
	unsigned flags = wire_u8(w);
	f->end = wire_u8(w);
	w->bad |= f->end > XRD_END_STOP;
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
	take_text(w, j, &f->entry, &f->path);
	if (take_str(w, &userid))
		join_set_userid(j, f, userid);
	if (wire_u8(w))
		take_close(w, j, f);
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

static void put_client(struct buf *b, const struct xrd_client *c)
{
	wire_put(b, c->known, 1);
	put_text(b, c->login);
	put_text(b, c->info);
	put_text(b, c->flow);
	put_text(b, c->token);
}

static void take_client(struct wire *w, struct xrd_join *j, struct xrd_client *c)
{
	struct str s;
	c->known = wire_u8(w);
	char **const texts[] = { &c->login, &c->info, &c->flow, &c->token };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (take_str(w, &s))
			join_set_client_text(j, c, texts[i], s);
}

static void put_entry(struct buf *b, const struct xrd_entry *e)
{
	wire_put(b, e->kind, 1);
	wire_put(b, e->gone, 1);
	wire_put(b, e->server, 4);
	wire_put(b, e->id, 8);
	wire_put(b, (uint64_t)e->touched, 8);
	if (e->kind == CLIENT)
		put_client(b, (const struct xrd_client *)e);
	else if (e->kind == LOGIN)
		wire_put(b, ((const struct login *)e)->client, 4);
	else
		put_file(b, (const struct xrd_file *)e);
}

/* Files whose client is to be found when all are here. */
struct clients {
	size_t n, cap;
	struct {
		struct xrd_file *file;
		uint32_t client;
	} *of;
};

static void add_link(struct clients *l, struct xrd_file *f, uint32_t client)
{
	if (!client)
		return;
	l->of = vec_reserve(l->of, &l->cap, l->n + 1, sizeof(*l->of));
	l->of[l->n].file = f;
	l->of[l->n++].client = client;
}

static const size_t sizes[] = {
	[CLIENT] = sizeof(struct xrd_client), [FILE_ENTRY] = sizeof(struct xrd_file),
	[LOGIN] = sizeof(struct login),
};

static void take_entry(struct wire *w, struct xrd_join *j, uint16_t holder, struct clients *links)
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
		take_client(w, j, (struct xrd_client *)e);
	else if (kind == LOGIN)
		((struct login *)e)->client = wire_u32(w);
	else
		add_link(links, (struct xrd_file *)e, take_file(w, j, (struct xrd_file *)e));
	if (gone)
		xrd_table_retire(&j->table, e, touched);
	else
		xrd_table_touch(&j->table, e, touched);
}

static void put_counts(struct buf *b, const struct xrd_join_counts *c)
{
	const int64_t all[] = {
		(int64_t)c->datagrams, (int64_t)c->bad, (int64_t)c->summary, (int64_t)c->unknown,
		(int64_t)c->evicted, (int64_t)c->untold, (int64_t)c->transfers,
		(int64_t)c->incomplete,
	};
	put_numbers(b, all, ARRAY_SIZE(all));
}

static void take_counts(struct wire *w, struct xrd_join_counts *c)
{
	c->datagrams = wire_u64(w);
	c->bad = wire_u64(w);
	c->summary = wire_u64(w);
	c->unknown = wire_u64(w);
	c->evicted = wire_u64(w);
	c->untold = wire_u64(w);
	c->transfers = wire_u64(w);
	c->incomplete = wire_u64(w);
}

/* The oldest first, so that they have their places again when they are added. */
static void put_holder(struct buf *b, const struct holder *h)
{
	uint32_t n = 0;
	buf_add(b, (struct str){ (const char *)&h->address, sizeof(h->address) });
	size_t at = b->n;
	wire_put(b, 0, 4);
	for (int gone = 0; gone < 2; gone++)
		for (const struct xrd_entry *e = h->age[gone].oldest; e; e = e->newer, n++)
			put_entry(b, e);
	for (size_t i = 0; i < 4; i++)
		b->p[at + i] = (char)(n >> (24 - 8 * i));
}

static void take_holder(struct wire *w, struct xrd_join *j, struct clients *links)
{
	struct in6_addr address;
	struct str a = wire_bytes(w, sizeof(address));
	uint32_t n = wire_u32(w);
	if (w->bad)
		return;
	memcpy(&address, a.p, a.n);
	uint16_t holder = n ? holders_number(&j->servers.holders, &address) : 0;
	while (n-- > 0 && !w->bad)
		take_entry(w, j, holder, links);
}

void join_put_state(struct buf *b, const struct xrd_join *j)
{
	const struct holders *h = &j->servers.holders;
	wire_put(b, (uint64_t)j->now, 8);
	put_counts(b, &j->counts);
	servers_put_state(b, &j->servers);
	wire_put(b, h->n, 4);
	for (size_t i = 0; i < h->n; i++)
		put_holder(b, &h->of[i]);
}

static void link_all(struct xrd_join *j, const struct clients *links)
{
	for (size_t i = 0; i < links->n; i++) {
		struct xrd_file *f = links->of[i].file;
		join_client(j, f, (struct xrd_client *)xrd_table_find(
			&j->table, f->entry.server, CLIENT, links->of[i].client));
	}
}

void join_take_state(struct wire *w, struct xrd_join *j)
{
	struct clients links = { .n = 0 };
	j->now = state_take_time(w);
	take_counts(w, &j->counts);
	servers_take_state(w, &j->servers);
	uint32_t n = wire_u32(w);
	while (n-- > 0 && !w->bad)
		take_holder(w, j, &links);
	link_all(j, &links);
	free(links.of);
}
