/* SPDX-License-Identifier: BSD-3-Clause */
/* connections.c - the open TCP connections, each with its last snapshot */
#include "tcp/connections.h"

#include <stdlib.h>

static uint64_t connections_hash_cookie(uint64_t cookie)
{
	return map_hash((struct str){ (const char *)&cookie, sizeof(cookie) });
}

static uint64_t connections_hash_tuple(const unsigned char laddr[16], const unsigned char raddr[16],
				       struct port_pair p)
{
	char key[36];
	memcpy(key, laddr, 16);
	memcpy(key + 16, raddr, 16);
	memcpy(key + 32, &p.local, 2);
	memcpy(key + 34, &p.remote, 2);
	return map_hash((struct str){ key, sizeof(key) });
}

struct known_connection *connections_find(struct connections *c, uint64_t cookie)
{
	struct map_slot *at = NULL;
	while ((at = map_next(&c->by_cookie, connections_hash_cookie(cookie), at)))
		if (c->p[at->value.n].cookie == cookie)
			return &c->p[at->value.n];
	return NULL;
}

struct known_connection *connections_between(struct connections *c, const struct snapshots *s,
					     const unsigned char laddr[16],
					     const unsigned char raddr[16],
					     struct port_pair p, int64_t at)
{
	const unsigned char *l, *r;
	uint64_t hash = connections_hash_tuple(laddr, raddr, p);
	struct known_connection *found = NULL;

	for (struct map_slot *slot = NULL; (slot = map_next(&c->by_tuple, hash, slot)); ) {
		struct known_connection *k = &c->p[slot->value.n];
		l = k->entry + s->column[PM_LADDR].offset;
		r = k->entry + s->column[PM_RADDR].offset;
		if (k->ports.local == p.local && k->ports.remote == p.remote &&
		    !(k->ended && at > k->stored_at) &&
		    memcmp(l, laddr, 16) == 0 && memcmp(r, raddr, 16) == 0)
			found = k;
	}
	return found;
}

struct known_connection *connections_get(struct connections *c, const struct socket_seen *s)
{
	struct known_connection *k = connections_find(c, s->cookie);
	if (k)
		return k;
	struct port_pair p = { s->lport, s->rport };
	c->p = vec_reserve(c->p, &c->cap, c->n + 1, sizeof(*c->p));
	map_add(&c->by_cookie, connections_hash_cookie(s->cookie), (union map_value){ .n = c->n });
	map_add(&c->by_tuple, connections_hash_tuple(s->laddr, s->raddr, p),
		(union map_value){ .n = c->n });
	k = &c->p[c->n++];
	*k = (struct known_connection){ .cookie = s->cookie, .ports = p };
	return k;
}

static void connections_rebuild_index(struct connections *c, const struct snapshots *s)
{
	map_clear(&c->by_cookie);
	map_clear(&c->by_tuple);
	for (size_t i = 0; i < c->n; i++) {
		const struct known_connection *k = &c->p[i];
		map_add(&c->by_cookie, connections_hash_cookie(k->cookie),
			(union map_value){ .n = i });
		map_add(&c->by_tuple, connections_hash_tuple(k->entry + s->column[PM_LADDR].offset,
			k->entry + s->column[PM_RADDR].offset, k->ports),
			(union map_value){ .n = i });
	}
}

void connections_sweep(struct connections *c, const struct snapshots *s)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct known_connection *k = &c->p[i];
		if (k->ended || (k->missed && !k->seen))
			continue;
		k->missed = !k->seen;
		k->seen = false;
		c->p[n++] = *k;
	}
	if (n == c->n)
		return;
	c->n = n;
	connections_rebuild_index(c, s);
}

void connections_free(struct connections *c)
{
	free(c->p);
	map_free(&c->by_cookie);
	map_free(&c->by_tuple);
}
