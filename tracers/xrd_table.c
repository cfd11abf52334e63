/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_table.c - a hash table that knows what in it was not touched for longest */
#include "tracers/xrd_table.h"

#include <stdlib.h>
#include "base/buf.h"

#define BUCKETS_MIN 1024

/* The finalizer of MurmurHash3: every bit of the input reaches every bit of the result. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
	return x ^ x >> 33;
}

static size_t place(size_t n_buckets, uint32_t server, int kind, uint64_t id)
{
	uint64_t h = mix(id + mix((uint64_t)server << 8 | (unsigned)kind));
	return (size_t)h & (n_buckets - 1);
}

static struct xrd_entry **bucket_of(const struct xrd_table *t, const struct xrd_entry *e)
{
	return &t->bucket[place(t->n_buckets, e->server, e->kind, e->id)];
}

struct xrd_entry *xrd_table_find(const struct xrd_table *t, uint32_t server, int kind,
				 uint64_t id)
{
	if (!t->n)
		return NULL;
	struct xrd_entry *e = t->bucket[place(t->n_buckets, server, kind, id)];
	while (e && (e->id != id || e->server != server || e->kind != kind))
		e = e->chain;
	return e;
}

static void rehash(struct xrd_table *t)
{
	size_t n = t->n_buckets ? 2 * t->n_buckets : BUCKETS_MIN;
	free(t->bucket);
	t->bucket = calloc(n, sizeof(*t->bucket));
	if (!t->bucket)
		abort();
	t->bytes += (n - t->n_buckets) * sizeof(*t->bucket);
	t->n_buckets = n;
	for (size_t i = 0; i < ARRAY_SIZE(t->age); i++)
		for (struct xrd_entry *e = t->age[i].oldest; e; e = e->newer) {
			struct xrd_entry **at = bucket_of(t, e);
			e->chain = *at;
			*at = e;
		}
}

static void link_newest(struct xrd_table *t, struct xrd_entry *e)
{
	struct xrd_ages *a = &t->age[e->gone];
	e->older = a->newest;
	e->newer = NULL;
	*(a->newest ? &a->newest->newer : &a->oldest) = e;
	a->newest = e;
}

static void unlink_age(struct xrd_table *t, struct xrd_entry *e)
{
	struct xrd_ages *a = &t->age[e->gone];
	*(e->older ? &e->older->newer : &a->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &a->newest) = e->older;
}

void xrd_table_add(struct xrd_table *t, struct xrd_entry *e)
{
	if (t->n >= t->n_buckets)
		rehash(t);
	struct xrd_entry **at = bucket_of(t, e);
	e->chain = *at;
	*at = e;
	link_newest(t, e);
	t->n++;
	t->bytes += e->bytes;
}

void xrd_table_remove(struct xrd_table *t, struct xrd_entry *e)
{
	struct xrd_entry **at = bucket_of(t, e);
	while (*at != e)
		at = &(*at)->chain;
	*at = e->chain;
	unlink_age(t, e);
	t->n--;
	t->bytes -= e->bytes;
}

static void renew(struct xrd_table *t, struct xrd_entry *e, bool gone, int64_t now)
{
	unlink_age(t, e);
	e->gone = gone;
	e->touched = now;
	link_newest(t, e);
}

void xrd_table_touch(struct xrd_table *t, struct xrd_entry *e, int64_t now)
{
	renew(t, e, false, now);
}

void xrd_table_retire(struct xrd_table *t, struct xrd_entry *e, int64_t now)
{
	renew(t, e, true, now);
}

struct xrd_entry *xrd_table_victim(const struct xrd_table *t)
{
	return t->age[true].oldest ? t->age[true].oldest : t->age[false].oldest;
}

void xrd_table_grow(struct xrd_table *t, struct xrd_entry *e, size_t n)
{
	e->bytes += (uint32_t)xrd_cost(n);
	t->bytes += xrd_cost(n);
}

void xrd_table_shrink(struct xrd_table *t, struct xrd_entry *e, size_t n)
{
	e->bytes -= (uint32_t)xrd_cost(n);
	t->bytes -= xrd_cost(n);
}

void xrd_table_free(struct xrd_table *t)
{
	free(t->bucket);
	*t = (struct xrd_table){ .n = 0 };
}
