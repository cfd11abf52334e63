/* SPDX-License-Identifier: BSD-3-Clause */
/* connections.c - the connections that there are, each with its last snapshot */
#include "tracers/tcp/connections.h"

#include <stdlib.h>

static uint64_t hash_cookie(uint64_t cookie)
{
	return map_hash((struct str){ (const char *)&cookie, sizeof(cookie) });
}

static uint64_t hash_tuple(const unsigned char laddr[16], const unsigned char raddr[16],
			   struct ports p)
{
	char key[36];
	memcpy(key, laddr, 16);
	memcpy(key + 16, raddr, 16);
	memcpy(key + 32, &p.local, 2);
	memcpy(key + 34, &p.remote, 2);
	return map_hash((struct str){ key, sizeof(key) });
}

struct known *connections_find(struct connections *c, uint64_t cookie)
{
	for (struct map_slot *at = NULL; (at = map_next(&c->by_cookie, hash_cookie(cookie), at)); )
		if (c->p[at->value.n].cookie == cookie)
			return &c->p[at->value.n];
	return NULL;
}

struct known *connections_between(struct connections *c, const struct snapshots *s,
				  const unsigned char laddr[16], const unsigned char raddr[16],
				  struct ports p, int64_t at)
{
	const unsigned char *l, *r;
	uint64_t hash = hash_tuple(laddr, raddr, p);
	struct known *found = NULL;

	for (struct map_slot *slot = NULL; (slot = map_next(&c->by_tuple, hash, slot)); ) {
		struct known *k = &c->p[slot->value.n];
		l = k->entry + s->column[PM_LADDR].offset;
		r = k->entry + s->column[PM_RADDR].offset;
		if (k->ports.local == p.local && k->ports.remote == p.remote &&
		    !(k->ended && at > k->taken) &&
		    memcmp(l, laddr, 16) == 0 && memcmp(r, raddr, 16) == 0)
			found = k;
	}
	return found;
}

struct known *connections_get(struct connections *c, const struct socket_seen *s)
{
	struct known *k = connections_find(c, s->cookie);
	if (k)
		return k;
	struct ports p = { s->lport, s->rport };
	c->p = vec_reserve(c->p, &c->cap, c->n + 1, sizeof(*c->p));
	map_add(&c->by_cookie, hash_cookie(s->cookie), (union map_value){ .n = c->n });
	map_add(&c->by_tuple, hash_tuple(s->laddr, s->raddr, p),
		(union map_value){ .n = c->n });
	k = &c->p[c->n++];
	*k = (struct known){ .cookie = s->cookie, .ports = p };
	return k;
}

static void index_again(struct connections *c, const struct snapshots *s)
{
	map_clear(&c->by_cookie);
	map_clear(&c->by_tuple);
	for (size_t i = 0; i < c->n; i++) {
		const struct known *k = &c->p[i];
		map_add(&c->by_cookie, hash_cookie(k->cookie), (union map_value){ .n = i });
		map_add(&c->by_tuple, hash_tuple(k->entry + s->column[PM_LADDR].offset,
			k->entry + s->column[PM_RADDR].offset, k->ports),
			(union map_value){ .n = i });
	}
}

void connections_sweep(struct connections *c, const struct snapshots *s)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct known *k = &c->p[i];
		if (k->ended || (k->missed && !k->seen))
			continue;
		k->missed = !k->seen;
		k->seen = false;
		c->p[n++] = *k;
	}
	if (n == c->n)
		return;
	c->n = n;
	index_again(c, s);
}

void connections_free(struct connections *c)
{
	free(c->p);
	map_free(&c->by_cookie);
	map_free(&c->by_tuple);
}
