/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_table.c - hash table of users and files, which also keeps entries in order of age */
#include "xrootd/join/xrd_table.h"

static uint64_t table_hash(uint32_t server, int kind, uint64_t id)
{
	uint64_t key[2] = { id, (uint64_t)server << 8 | (unsigned)kind };
	return map_hash((struct str){ (const char *)key, sizeof(key) });
}

struct xrd_entry *xrd_table_find(const struct xrd_table *t, uint32_t server, int kind,
				 uint64_t id)
{
	uint64_t hash = table_hash(server, kind, id);
	for (struct map_slot *at = NULL; (at = map_next(&t->map, hash, at));) {
		struct xrd_entry *e = at->value.p;
		if (e->id == id && e->server == server && e->kind == kind)
			return e;
	}
	return NULL;
}

static struct holder *table_holder(const struct xrd_table *t, const struct xrd_entry *e)
{
	return &t->holders->of[e->holder];
}

static void table_link_newest(struct xrd_table *t, struct xrd_entry *e)
{
	struct xrd_ages *a = &table_holder(t, e)->age[e->has_ended];
	e->older = a->newest;
	e->newer = NULL;
	*(a->newest ? &a->newest->newer : &a->oldest) = e;
	a->newest = e;
}

static void table_unlink(struct xrd_table *t, struct xrd_entry *e)
{
	struct xrd_ages *a = &table_holder(t, e)->age[e->has_ended];
	*(e->older ? &e->older->newer : &a->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &a->newest) = e->older;
}

void xrd_table_add(struct xrd_table *t, struct xrd_entry *e)
{
	size_t slots = t->map.cap;
	map_add(&t->map, table_hash(e->server, e->kind, e->id), (union map_value){ .p = e });
	table_link_newest(t, e);
	t->bytes += (t->map.cap - slots) * sizeof(*t->map.slot) + e->bytes;
	table_holder(t, e)->bytes += e->bytes;
}

static void table_remove_slot(struct xrd_table *t, const struct xrd_entry *e)
{
	uint64_t hash = table_hash(e->server, e->kind, e->id);
	struct map_slot *at = NULL;
	do
		at = map_next(&t->map, hash, at);
	while (at->value.p != e);
	map_remove(&t->map, at);
}

void xrd_table_move(struct xrd_table *t, struct xrd_entry *e, uint32_t server)
{
	size_t slots = t->map.cap;
	table_remove_slot(t, e);
	e->server = server;
	map_add(&t->map, table_hash(server, e->kind, e->id), (union map_value){ .p = e });
	t->bytes += (t->map.cap - slots) * sizeof(*t->map.slot);
}

void xrd_table_remove(struct xrd_table *t, struct xrd_entry *e)
{
	table_remove_slot(t, e);
	table_unlink(t, e);
	t->bytes -= e->bytes;
	table_holder(t, e)->bytes -= e->bytes;
}

static void table_renew(struct xrd_table *t, struct xrd_entry *e, bool has_ended, int64_t now)
{
	table_unlink(t, e);
	e->has_ended = has_ended;
	e->touched = now;
	table_link_newest(t, e);
}

void xrd_table_touch(struct xrd_table *t, struct xrd_entry *e, int64_t now)
{
	table_renew(t, e, false, now);
}

void xrd_table_retire(struct xrd_table *t, struct xrd_entry *e, int64_t now)
{
	table_renew(t, e, true, now);
}

void xrd_table_grow(struct xrd_table *t, struct xrd_entry *e, size_t n)
{
	e->bytes += (uint32_t)xrd_cost(n);
	t->bytes += xrd_cost(n);
	table_holder(t, e)->bytes += xrd_cost(n);
}

void xrd_table_shrink(struct xrd_table *t, struct xrd_entry *e, size_t n)
{
	e->bytes -= (uint32_t)xrd_cost(n);
	t->bytes -= xrd_cost(n);
	table_holder(t, e)->bytes -= xrd_cost(n);
}

void xrd_table_free(struct xrd_table *t)
{
	map_free(&t->map);
	*t = (struct xrd_table){ NULL };
}
