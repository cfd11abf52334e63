/* SPDX-License-Identifier: BSD-3-Clause */
/* peers.c - match reports of third-party copies with opens and closes that arrive later */
#include "xrootd/join/peers.h"

#include <stdlib.h>
#include "xrootd/join/xrd_put.h"

uint64_t peer_path(struct str path)
{
	while (path.n > 1 && path.p[1] == '/')
		path = str_skip(path, 1);
	return str_hash(path);
}

void peers_note(struct copy_peers *p, const struct copy_peer *of)
{
	struct copy_peer *to = &p->of[p->next++];
	p->any = true;
	free(to->url);
	*to = *of;
}

/* Check if host names the server: "[::ffff:192.0.2.1]", another address in brackets, or a name. */
static bool peer_is_host(const struct xrd_server *s, struct str host)
{
	if (str_take_prefix(&host, STR("[")) && str_ends(host, STR("]")))
		host.n--;
	str_take_prefix(&host, STR("::ffff:"));
	return host.n && (str_eq(host, str_of(s->host)) || str_eq(host, str_of(s->ip)));
}

bool peer_is_client(const struct xrd_server *s, const struct xrd_transfer *t)
{
	const struct xrd_who who = xrd_who_of(t->client, t->file);
	return str_starts(who.user.protocol, STR("http")) && s != t->server &&
	       peer_is_host(s, who.user.host);
}

char *peers_take(struct copy_peers *p, const struct xrd_servers *all, const struct xrd_transfer *t)
{
	if (!p->any)
		return NULL;
	uint64_t path = peer_path(str_of(t->file->path ? t->file->path : ""));
	for (size_t i = 0; i < XRD_PEERS; i++) {
		struct copy_peer *at = &p->of[i];
		if (!at->url || at->path != path)
			continue;
		const struct xrd_server *s = xrd_server_numbered(all, at->server);
		if (!s || !peer_is_client(s, t))
			continue;
		char *url = at->url;
		at->url = NULL;
		return url;
	}
	return NULL;
}

void peers_note_early(struct copy_peers *p, const struct early_copy *e)
{
	p->early[p->next_early++] = *e;
}

int64_t peers_take_early(struct copy_peers *p, const struct xrd_transfer *t)
{
	if (!t->server || !t->client || !t->file->path || !t->file->for_write)
		return 0;
	uint64_t path = peer_path(str_of(t->file->path));
	for (size_t i = 0; i < XRD_PEERS; i++) {
		struct early_copy *e = &p->early[i];
		int64_t copied = e->copied;
		if (!copied || e->server != t->server->number || e->path != path ||
		    e->client != t->client->entry.id)
			continue;
		e->copied = 0;
		return copied;
	}
	return 0;
}

bool peers_may_come(const struct xrd_servers *all, const struct xrd_transfer *t)
{
	if (!t->file->close || t->file->close->peer)
		return false;
	for (size_t i = 0; i < all->n; i++)
		if (all->server[i]->copies && peer_is_client(all->server[i], t))
			return true;
	return false;
}

void peers_free(struct copy_peers *p)
{
	for (size_t i = 0; i < XRD_PEERS; i++)
		free(p->of[i].url);
}
