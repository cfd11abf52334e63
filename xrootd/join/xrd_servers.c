/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_servers.c - who sends: each start of each server, with its counters */
#include "tracers/xrootd/join/xrd_servers.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "formats/json_read.h"
#include "formats/xrootd/packet.h"

static const char providers[] = "CPTMROH";	/* of g: each has a counter of its own */
enum { LANE_MAPS, LANE_F, LANE_G };
_Static_assert(LANE_G + sizeof(providers) - 1 <= XRD_LANES, "a lane for each kind of g");

static uint64_t hash_of(const struct xrd_source *from, uint32_t start)
{
	uint32_t key[5] = { start };
	memcpy(key + 1, &from->address, sizeof(from->address));
	return map_hash((struct str){ (const char *)key, sizeof(key) });
}

static void free_server(struct xrd_servers *all, struct xrd_server *s)
{
	const struct xrd_ordered to = { .held_bytes = &all->held_bytes };
	for (size_t i = 0; i < XRD_PORTS * XRD_LANES; i++) {
		struct xrd_order *o = s->port_of[i / XRD_LANES].lane[i % XRD_LANES];
		if (o)
			xrd_order_free(o, &to);
		free(o);
	}
	xrd_counts_add(&all->gone, &s->seen);
	free(s);
}

static void forget(struct xrd_servers *all, struct xrd_server *s)
{
	struct map_slot *at = NULL;
	do
		at = map_next(&all->by_source, hash_of(&s->source, s->start), at);
	while (at->value.p != s);
	map_remove(&all->by_source, at);
	all->holders.of[s->holder].servers--;
	all->server[s->place] = all->server[--all->n];
	all->server[s->place]->place = s->place;
	free_server(all, s);
}

/* A server that is not known and has no file open: a single datagram made it. */
static bool is_nobody(const struct xrd_server *s)
{
	return !s->known && !s->n_open;
}

/* Of the address that has most, if that is more than its share; else a nobody; else of all. */
static bool goes_first(const struct xrd_servers *all, const struct holder *most,
		       const struct xrd_server *a, const struct xrd_server *b)
{
	if (most->servers > XRD_SERVERS_SHARE) {
		bool of_most = &all->holders.of[a->holder] == most;
		if (of_most != (&all->holders.of[b->holder] == most))
			return of_most;
	} else if (is_nobody(a) != is_nobody(b)) {
		return is_nobody(a);
	}
	return a->last < b->last;
}

static void forget_one(struct xrd_servers *all)
{
	const struct holder *most = holders_with_most_servers(&all->holders);
	struct xrd_server *oldest = all->server[0];
	for (size_t i = 1; i < all->n; i++)
		if (goes_first(all, most, all->server[i], oldest))
			oldest = all->server[i];
	if (all->on_forgotten)
		all->on_forgotten(all->arg, oldest);
	forget(all, oldest);
	all->evicted++;
}

struct xrd_server *xrd_server_add(struct xrd_servers *all, const struct xrd_source *from,
				  uint32_t start)
{
	struct xrd_server *s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	s->source = *from;
	s->start = start;
	s->number = ++all->numbers;
	s->counts = true;
	s->holder = holders_number(&all->holders, &from->address);
	all->holders.of[s->holder].servers++;
	s->place = all->n;
	all->server[all->n++] = s;
	packet_address_text(&from->address, s->ip);
	map_add(&all->by_source, hash_of(from, start), (union map_value){ .p = s });
	return s;
}

static bool same_address(const struct xrd_source *a, const struct xrd_source *b)
{
	return memcmp(&a->address, &b->address, sizeof(a->address)) == 0;
}

/* The server with this id, else one without; of no id, the only server of this port. */
static struct xrd_server *find(const struct xrd_servers *all, const struct xrd_source *from,
			       const struct xrd_packet *p)
{
	struct xrd_server *any = NULL, *nameless = NULL;
	uint64_t hash = hash_of(from, p->start);
	size_t n = 0;
	for (struct map_slot *at = NULL; (at = map_next(&all->by_source, hash, at));) {
		struct xrd_server *s = at->value.p;
		if (s->start != p->start || !same_address(&s->source, from))
			continue;
		if (p->has_sid && s->has_sid && s->sid == p->sid)
			return s;
		if (s->source.port != from->port)
			continue;
		if (!s->has_sid)
			nameless = s;
		any = s;
		n++;
	}
	return nameless || p->has_sid || n > 1 ? nameless : any;
}

struct xrd_server *xrd_server_of(struct xrd_servers *all, const struct xrd_source *from,
				 const struct xrd_packet *p, int64_t now, bool *is_new)
{
	struct xrd_server *s = find(all, from, p);
	*is_new = !s;
	if (!s) {
		if (all->n >= XRD_SERVERS_MAX)
			forget_one(all);
		s = xrd_server_add(all, from, p->start);
	}
	s->last = now;
	return s;
}

/* Before 5.1 a fingerprint is pid << 16 | port: of it, the port stays. */
static bool same_fingerprint(const struct xrd_server *a, const struct xrd_server *b)
{
	bool old = a->known && b->known && !a->counts && !b->counts;
	return a->sid == b->sid || (old && (a->sid & 0xffff) == (b->sid & 0xffff));
}

bool xrd_server_is_restart(const struct xrd_server *before, const struct xrd_server *now)
{
	if (before->start >= now->start || !same_address(&before->source, &now->source))
		return false;
	if (before->has_sid && now->has_sid)
		return same_fingerprint(before, now);
	return !before->has_sid && !now->has_sid && before->source.port == now->source.port;
}

struct xrd_server *xrd_server_numbered(const struct xrd_servers *all, uint32_t number)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->server[i]->number == number)
			return all->server[i];
	return NULL;
}

void xrd_server_name(const struct xrd_server *v, char *name, size_t size)
{
	if (!v->known || !*v->host)
		snprintf(name, size, "%s:%u", v->ip, v->source.port);
	else if (*v->port && strcmp(v->port, "0") != 0)
		snprintf(name, size, "%s:%s", v->host, v->port);
	else
		snprintf(name, size, "%s:%s", v->host, *v->program ? v->program : v->instance);
}

/* A text, or a number as its digits. */
static void copy_value(char *to, size_t size, struct str members, struct str name)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str value = json_find(members, name);
	if (!json_add_text(&text, value) && str_is_u64(value))
		buf_add(&text, value);
	str_copy(to, size, buf_str(&text));
}

static void identify_json(struct xrd_server *s, struct str line)
{
	struct str all, from;
	if (!json_take_object(line, &all) || !json_take_object(json_find(all, STR("src")), &from))
		return;
	copy_value(s->site, sizeof(s->site), from, STR("site"));
	copy_value(s->host, sizeof(s->host), from, STR("host"));
	copy_value(s->port, sizeof(s->port), from, STR("port"));
	copy_value(s->instance, sizeof(s->instance), from, STR("inst"));
	copy_value(s->program, sizeof(s->program), from, STR("pgm"));
	copy_value(s->version, sizeof(s->version), from, STR("ver"));
	s->release = xrd_release(str_of(s->version));
}

void xrd_server_identify(struct xrd_server *s, struct str text, enum xrd_form form)
{
	struct str userid, info = text;
	struct xrd_user u;
	s->known = true;
	if (form == XRD_JSON) {
		identify_json(s, text);
		return;
	}
	if (form == XRD_BINARY) {
		xrd_map_split(text, &userid, &info);
		if (xrd_user_split(userid, &u))
			str_copy(s->host, sizeof(s->host), u.host);
	} else {
		str_copy(s->host, sizeof(s->host), xrd_pair(info, STR("host")));
	}
	str_copy(s->site, sizeof(s->site), xrd_pair(info, STR("site")));
	str_copy(s->port, sizeof(s->port), xrd_pair(info, STR("port")));
	str_copy(s->instance, sizeof(s->instance), xrd_pair(info, STR("inst")));
	str_copy(s->program, sizeof(s->program), xrd_pair(info, STR("pgm")));
	str_copy(s->version, sizeof(s->version), xrd_pair(info, STR("ver")));
	s->release = xrd_release(str_of(s->version));
	if (*s->version)	/* older servers count for all destinations together */
		s->counts = !s->release || s->release >= XRD_RELEASE(5, 1, 0);
}

static int lane_of(const struct xrd_packet *p)
{
	const char *at;
	switch (p->code) {
	case 'f':
		return LANE_F;
	case 'g':
		at = p->provider ? strchr(providers, p->provider) : NULL;
		return at ? LANE_G + (int)(at - providers) : -1;
	case '=':	/* FRM's always have the number 0, those of text a counter of their own */
		return p->form == XRD_BINARY && p->left.n > 4 && p->left.p[4] == '=' ? LANE_MAPS
										     : -1;
	default:
		return LANE_MAPS;
	}
}

static struct xrd_port *find_port(struct xrd_server *s, uint16_t port, bool twin)
{
	for (struct xrd_port *at = s->port_of; at < s->port_of + XRD_PORTS; at++)
		if (at->last && at->port == port && at->twin == twin)
			return at;
	return NULL;
}

/* A port that is new takes the place of the one that was silent for longest. */
static struct xrd_port *port_of(struct xrd_server *s, uint16_t port, bool twin,
				const struct xrd_ordered *to)
{
	struct xrd_port *oldest = find_port(s, port, twin);
	if (oldest)
		return oldest;
	oldest = &s->port_of[0];
	for (struct xrd_port *at = s->port_of; at < s->port_of + XRD_PORTS; at++)
		if (at->last < oldest->last)
			oldest = at;
	for (size_t i = 0; i < XRD_LANES; i++) {
		if (oldest->lane[i])
			xrd_order_expire(oldest->lane[i], to, INT64_MAX);
		free(oldest->lane[i]);
		oldest->lane[i] = NULL;
	}
	oldest->port = port;
	oldest->twin = twin;
	return oldest;
}

/* The datagram is of the port's second counter, which is nearer, or begins with it. */
static bool is_twins(struct xrd_server *s, uint16_t port, const struct xrd_packet *p, int lane,
		     enum xrd_copy_of copy)
{
	const struct xrd_port *one = find_port(s, port, false), *two = find_port(s, port, true);
	if (!one || !one->lane[lane])
		return false;
	uint16_t n = xrd_order_distance(one->lane[lane], p->seq);
	if (two && two->lane[lane])
		return xrd_order_distance(two->lane[lane], p->seq) < n;
	return copy == XRD_COPY_TWIN && n > 0;
}

bool xrd_server_counts(const struct xrd_server *s, const struct xrd_packet *p)
{
	return s->counts && lane_of(p) >= 0;
}

struct xrd_order *xrd_server_lane(struct xrd_server *s, uint16_t port, const struct xrd_packet *p,
				  enum xrd_copy_of copy, const struct xrd_ordered *to)
{
	int i = lane_of(p);
	struct xrd_port *of = port_of(s, port, is_twins(s, port, p, i, copy), to);
	of->last = s->last;
	if (!of->lane[i]) {
		of->lane[i] = calloc(1, sizeof(*of->lane[i]));
		if (!of->lane[i])
			abort();
		of->lane[i]->wrap = p->form == XRD_BINARY ? 256 : 1000;
	}
	return of->lane[i];
}

/* Eight bytes at a time, as str_hash() has one: datagrams are long.  The state keeps it. */
static uint64_t hash_words(struct str s)
{
	uint64_t h = s.n;
	for (; s.n >= 8; s = str_skip(s, 8)) {
		h = (h ^ str_load(s.p, 8)) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h ^ str_hash(s);
}

/*
 * A hash of all but the number, which is the second byte. Servers identify themselves again and
 * again: only with the number is that a copy. Text has the number in it.
 */
static uint64_t content_of(const struct xrd_packet *p, struct str datagram)
{
	bool again = p->code == '=' || p->form != XRD_BINARY;
	return hash_words(again ? datagram : str_skip(datagram, 2)) ^ (unsigned char)p->code;
}

enum xrd_copy_of xrd_server_knows(struct xrd_server *s, uint16_t port, const struct xrd_packet *p,
				  struct str datagram)
{
	struct xrd_recent *r = &s->recent;
	uint64_t content = content_of(p, datagram);
	for (size_t i = 0; i < XRD_RECENT; i++)
		if (r->content[i] == content)
			return r->port[i] == port && r->seq[i] != p->seq ? XRD_COPY_TWIN : XRD_COPY;
	r->port[r->next] = port;
	r->seq[r->next] = p->seq;
	r->content[r->next++] = content;
	return XRD_NEW;
}

void xrd_servers_free(struct xrd_servers *all)
{
	while (all->n)
		forget(all, all->server[0]);
	map_free(&all->by_source);
}
