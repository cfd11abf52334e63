/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_servers.c - the servers that send datagrams, and their counters */
#include "xrootd/join/xrd_servers.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "formats/json_read.h"
#include "formats/xrootd/packet.h"

/* kinds of events in the g-stream; each kind has its own counter */
static const char providers[] = "CPTMROH";
enum { LANE_MAPS, LANE_F, LANE_G };
_Static_assert(LANE_G + sizeof(providers) - 1 <= XRD_LANES, "a lane for each kind of g");

static uint64_t server_hash(const struct xrd_source *from, uint32_t start)
{
	uint32_t key[5] = { start };
	memcpy(key + 1, &from->address, sizeof(from->address));
	return map_hash((struct str){ (const char *)key, sizeof(key) });
}

/* End the test of a port's numbering. If `is` is XRD_NUMBERS_UNKNOWN, there is no result. */
static void server_settle_port(struct xrd_port *p, enum xrd_numbering is,
			       const struct xrd_ordered *to)
{
	struct numbering *n = p->learning;
	p->learning = NULL;
	if (n && is == XRD_NUMBERS_UNKNOWN)
		numbering_count_guess(n, to);
	else if (n)
		numbering_settle(n, is, &p->lane[LANE_MAPS], to);
	if (is != XRD_NUMBERS_SHARED || p->lane[LANE_MAPS])
		return;
	p->lane[LANE_MAPS] = p->lane[LANE_F];
	p->lane[LANE_F] = NULL;
}

static void server_settle_numbering(struct xrd_server *s, enum xrd_numbering is,
				    const struct xrd_ordered *to)
{
	s->numbering = (uint8_t)is;
	for (struct xrd_port *p = s->port_of; p < s->port_of + XRD_PORTS; p++)
		server_settle_port(p, is, to);
}

static void server_free(struct xrd_servers *all, struct xrd_server *s)
{
	const struct xrd_ordered to = { .counts = &s->seen, .held_bytes = &all->held_bytes };
	server_settle_numbering(s, XRD_NUMBERS_UNKNOWN, &to);
	for (size_t i = 0; i < XRD_PORTS * XRD_LANES; i++) {
		struct xrd_order *o = s->port_of[i / XRD_LANES].lane[i % XRD_LANES];
		if (o)
			xrd_order_free(o, &to);
		free(o);
	}
	xrd_counts_add(&all->gone, &s->seen);
	free(s);
}

static void server_forget(struct xrd_servers *all, struct xrd_server *s)
{
	struct map_slot *at = NULL;
	do
		at = map_next(&all->by_source, server_hash(&s->source, s->start), at);
	while (at->value.p != s);
	map_remove(&all->by_source, at);
	all->holders.of[s->holder].servers--;
	all->server[s->place] = all->server[--all->n];
	all->server[s->place]->place = s->place;
	server_free(all, s);
}

/*
 * Check if a server has neither identified itself nor opened a file. A single datagram is enough to
 * add such a server.
 */
static bool server_is_unidentified(const struct xrd_server *s)
{
	return !s->known && !s->n_open;
}

/*
 * Check if server a must be forgotten before server b. If an address has more than
 * XRD_SERVERS_SHARE servers, its servers go first; otherwise, unidentified servers go first. Among
 * equals, the server that was silent longest goes first.
 */
static bool server_goes_first(const struct xrd_servers *all, const struct holder *most,
			      const struct xrd_server *a, const struct xrd_server *b)
{
	if (most->servers > XRD_SERVERS_SHARE) {
		bool of_most = &all->holders.of[a->holder] == most;
		if (of_most != (&all->holders.of[b->holder] == most))
			return of_most;
	} else if (server_is_unidentified(a) != server_is_unidentified(b)) {
		return server_is_unidentified(a);
	}
	return a->last < b->last;
}

static void servers_forget_one(struct xrd_servers *all)
{
	const struct holder *most = holders_with_most_servers(&all->holders);
	struct xrd_server *oldest = all->server[0];
	for (size_t i = 1; i < all->n; i++)
		if (server_goes_first(all, most, all->server[i], oldest))
			oldest = all->server[i];
	if (all->on_forgotten)
		all->on_forgotten(all->arg, oldest);
	server_forget(all, oldest);
	all->evicted++;
}

struct xrd_server *xrd_server_add(struct xrd_servers *all, const struct xrd_source *from,
				  uint32_t start)
{
	struct xrd_server *s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	s->source = (struct xrd_source){ from->address, from->port, NULL };
	s->start = start;
	s->number = ++all->numbers;
	s->counts = true;
	s->holder = holders_number(&all->holders, &from->address);
	all->holders.of[s->holder].servers++;
	s->place = all->n;
	all->server[all->n++] = s;
	packet_address_text(&from->address, s->ip);
	map_add(&all->by_source, server_hash(from, start), (union map_value){ .p = s });
	return s;
}

static bool server_same_address(const struct xrd_source *a, const struct xrd_source *b)
{
	return memcmp(&a->address, &b->address, sizeof(a->address)) == 0;
}

/*
 * Find the server with the id of the datagram, or a server at the datagram's port that has no id
 * yet. A datagram without an id belongs to the only server at its port. Ids are ignored if a server
 * at the port has .has_loose_sid.
 */
static struct xrd_server *server_find(const struct xrd_servers *all, const struct xrd_source *from,
				      const struct xrd_packet *p)
{
	struct xrd_server *any = NULL, *nameless = NULL;
	uint64_t hash = server_hash(from, p->start);
	size_t n = 0;
	for (struct map_slot *at = NULL; (at = map_next(&all->by_source, hash, at));) {
		struct xrd_server *s = at->value.p;
		if (s->start != p->start || !server_same_address(&s->source, from))
			continue;
		if (s->has_loose_sid && s->source.port == from->port)
			return s;
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

size_t xrd_servers_of_socket(const struct xrd_servers *all, const struct xrd_source *from,
			     uint32_t start, struct xrd_server **to, size_t max)
{
	uint64_t hash = server_hash(from, start);
	size_t n = 0;
	for (struct map_slot *at = NULL; n < max && (at = map_next(&all->by_source, hash, at));) {
		struct xrd_server *s = at->value.p;
		if (s->start != start || !server_same_address(&s->source, from) ||
		    s->source.port != from->port)
			continue;
		if (s->has_sure_sid)
			return 0;
		to[n] = s;
		if (n++ && s->known && !to[0]->known) {
			to[n - 1] = to[0];
			to[0] = s;
		}
	}
	return n;
}

void xrd_server_absorb(struct xrd_servers *all, struct xrd_server *to, struct xrd_server *s)
{
	to->n_open += s->n_open;
	s->n_open = 0;
	if (all->on_forgotten)
		all->on_forgotten(all->arg, s);
	xrd_counts_add(&to->seen, &s->seen);
	xrd_counts_add(&to->reported, &s->seen);
	xrd_counts_add(&to->counted, &s->counted);
	s->seen = (struct xrd_counts){ .n = { 0 } };
	server_forget(all, s);
}

struct xrd_server *xrd_server_of(struct xrd_servers *all, const struct xrd_source *from,
				 const struct xrd_packet *p, int64_t now, bool *is_new)
{
	struct xrd_server *s = server_find(all, from, p);
	*is_new = !s;
	if (!s) {
		if (all->n >= XRD_SERVERS_MAX)
			servers_forget_one(all);
		s = xrd_server_add(all, from, p->start);
	}
	/* set the name each time, because a saved state only has the address */
	if (from->name)
		str_copy(s->ip, sizeof(s->ip), str_of(from->name));
	s->last = now;
	return s;
}

/*
 * Compare the ids of two starts of a server. Before 5.1, an id is pid << 16 | port: compare only
 * the ports.
 */
static bool server_same_fingerprint(const struct xrd_server *a, const struct xrd_server *b)
{
	bool old = a->known && b->known && !a->counts && !b->counts;
	return a->sid == b->sid || (old && (a->sid & 0xffff) == (b->sid & 0xffff));
}

/*
 * Check if the sid is the id of the server, not of a user. An "=" record always has the server's
 * sid.
 */
static bool server_has_own_sid(const struct xrd_server *s)
{
	return s->has_sid && (s->known || !s->has_loose_sid);
}

bool xrd_server_is_restart(const struct xrd_server *before, const struct xrd_server *now)
{
	if (before->start >= now->start || !server_same_address(&before->source, &now->source))
		return false;
	bool named = server_has_own_sid(before), named_now = server_has_own_sid(now);
	if (named && named_now)
		return server_same_fingerprint(before, now);
	/* one sid comes from a userid, which in XRootD has the server's sid, too */
	if (named || named_now)
		return (named ? before : now)->known && before->has_sid && now->has_sid &&
		       before->sid == now->sid;
	return before->source.port == now->source.port;
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

/* Copy the value of a member: a text, or a number as digits. */
static void server_copy_value(char *to, size_t size, struct str members, struct str name)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str value = json_find(members, name);
	if (!json_add_text(&text, value) && str_is_u64(value))
		buf_add(&text, value);
	str_copy(to, size, buf_str(&text));
}

static void server_identify_json(struct xrd_server *s, struct str line)
{
	struct str all, from;
	if (!json_take_object(line, &all) || !json_take_object(json_find(all, STR("src")), &from))
		return;
	server_copy_value(s->site, sizeof(s->site), from, STR("site"));
	server_copy_value(s->host, sizeof(s->host), from, STR("host"));
	server_copy_value(s->port, sizeof(s->port), from, STR("port"));
	server_copy_value(s->instance, sizeof(s->instance), from, STR("inst"));
	server_copy_value(s->program, sizeof(s->program), from, STR("pgm"));
	server_copy_value(s->version, sizeof(s->version), from, STR("ver"));
	s->release = xrd_release(str_of(s->version));
}

void xrd_server_identify(struct xrd_server *s, struct str text, enum xrd_form form)
{
	struct str userid, info = text;
	struct xrd_user u;
	s->known = true;
	if (form == XRD_JSON) {
		server_identify_json(s, text);
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
	/* servers before 5.1 have one counter for all destinations, so losses cannot be counted */
	if (*s->version)
		s->counts = !s->release || s->release >= XRD_RELEASE(5, 1, 0);
}

static int server_lane_index(const struct xrd_packet *p)
{
	const char *at;
	switch (p->code) {
	case 'f':
		return LANE_F;
	case 'g':
		at = p->provider && !p->is_headless ? strchr(providers, p->provider) : NULL;
		return at ? LANE_G + (int)(at - providers) : -1;
	/* FRM always sends number 0, and text forms have a separate counter: do not count losses */
	case '=':
		return p->form == XRD_BINARY && p->left.n > 4 && p->left.p[4] == '=' ? LANE_MAPS
										     : -1;
	default:
		return LANE_MAPS;
	}
}

static struct xrd_port *server_find_port(struct xrd_server *s, uint16_t port, bool is_second)
{
	for (struct xrd_port *at = s->port_of; at < s->port_of + XRD_PORTS; at++)
		if (at->last && at->port == port && at->is_second == is_second)
			return at;
	return NULL;
}

static void server_clear_port(struct xrd_port *p, const struct xrd_ordered *to)
{
	server_settle_port(p, XRD_NUMBERS_UNKNOWN, to);
	for (size_t i = 0; i < XRD_LANES; i++) {
		if (p->lane[i])
			xrd_order_expire(p->lane[i], to, INT64_MAX);
		free(p->lane[i]);
		p->lane[i] = NULL;
	}
}

void xrd_server_restart_numbers(struct xrd_server *s, const struct xrd_ordered *to)
{
	for (struct xrd_port *p = s->port_of; p < s->port_of + XRD_PORTS; p++)
		server_clear_port(p, to);
}

/* Get a port of the server. A new port replaces the port that was silent longest. */
static struct xrd_port *server_get_port(struct xrd_server *s, uint16_t port, bool is_second,
					const struct xrd_ordered *to)
{
	struct xrd_port *oldest = server_find_port(s, port, is_second);
	if (oldest)
		return oldest;
	oldest = &s->port_of[0];
	for (struct xrd_port *at = s->port_of; at < s->port_of + XRD_PORTS; at++)
		if (at->last < oldest->last)
			oldest = at;
	server_clear_port(oldest, to);
	oldest->port = port;
	oldest->is_second = is_second;
	return oldest;
}

/*
 * Check if the datagram belongs to the second of two counters that share the port: its number is
 * nearer to the second counter, or starts the second counter.
 */
static bool server_is_second_counter(struct xrd_server *s, uint16_t port,
				     const struct xrd_packet *p, int lane,
				     enum xrd_copy_of copy)
{
	const struct xrd_port *one = server_find_port(s, port, false);
	const struct xrd_port *two = server_find_port(s, port, true);
	if (!one || !one->lane[lane])
		return false;
	uint16_t n = xrd_order_distance(one->lane[lane], p->seq);
	if (two && two->lane[lane])
		return xrd_order_distance(two->lane[lane], p->seq) < n;
	return copy == XRD_COPY_TWIN && n > 0;
}

bool xrd_server_counts(const struct xrd_server *s, const struct xrd_packet *p)
{
	return s->counts && server_lane_index(p) >= 0;
}

static struct xrd_order *server_open_lane(struct xrd_port *of, int i, const struct xrd_packet *p)
{
	if (of->lane[i])
		return of->lane[i];
	of->lane[i] = calloc(1, sizeof(*of->lane[i]));
	if (!of->lane[i])
		abort();
	of->lane[i]->wrap = p->form == XRD_BINARY ? 256 : 1000;
	return of->lane[i];
}

/*
 * Check if the datagram is part of the test of the numbering. Start the test when both streams have
 * arrived.
 */
static bool server_may_learn(const struct xrd_server *s, struct xrd_port *of, int i)
{
	if (s->numbering != XRD_NUMBERS_UNKNOWN || i > LANE_F)
		return false;
	const struct xrd_order *other = of->lane[i == LANE_F ? LANE_MAPS : LANE_F];
	if (!of->learning && other && !of->lane[i])
		of->learning = numbering_begin(other);
	return of->learning;
}

void xrd_server_put(struct xrd_server *s, uint16_t port, const struct xrd_packet *p,
		    enum xrd_copy_of copy, struct str datagram, const struct xrd_ordered *to,
		    int64_t now)
{
	int i = server_lane_index(p);
	if (i == LANE_F && s->numbering == XRD_NUMBERS_SHARED)
		i = LANE_MAPS;
	struct xrd_port *of = server_get_port(s, port,
					      server_is_second_counter(s, port, p, i, copy), to);
	of->last = s->last;
	bool learn = server_may_learn(s, of, i);
	struct xrd_order *lane = server_open_lane(of, i, p);
	if (!learn) {
		xrd_order_add(lane, to, p->seq, datagram, now);
		return;
	}
	enum xrd_numbering is = numbering_add(of->learning, lane, to, p->seq, datagram, now);
	if (is != XRD_NUMBERS_UNKNOWN)
		server_settle_numbering(s, is, to);
}

void xrd_server_expire(struct xrd_server *s, const struct xrd_ordered *to, int64_t now)
{
	for (struct xrd_port *p = s->port_of; p < s->port_of + XRD_PORTS; p++)
		for (int i = 0; i < XRD_LANES; i++) {
			if (p->lane[i] && p->learning && i <= LANE_F)
				numbering_expire(p->learning, p->lane[i], to, now);
			else if (p->lane[i])
				xrd_order_expire(p->lane[i], to, now);
		}
	if (now == INT64_MAX)
		for (struct xrd_port *p = s->port_of; p < s->port_of + XRD_PORTS; p++)
			server_settle_port(p, XRD_NUMBERS_UNKNOWN, to);
}

/*
 * Hash eight bytes at a time, which is faster than str_hash(). Do not change the hash: saved states
 * contain it.
 */
static uint64_t server_hash_words(struct str s)
{
	uint64_t h = s.n;
	for (; s.n >= 8; s = str_skip(s, 8)) {
		h = (h ^ str_load(s.p, 8)) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h ^ str_hash(s);
}

/*
 * Hash a binary datagram without its number, which differs between copies. Hash text datagrams and
 * identifications as a whole: a server repeats identifications, and a repeat is not a copy.
 */
static uint64_t server_content_hash(const struct xrd_packet *p, struct str datagram)
{
	bool again = p->code == '=' || p->form != XRD_BINARY;
	return server_hash_words(again ? datagram : str_skip(datagram, 2)) ^ (unsigned char)p->code;
}

enum xrd_copy_of xrd_server_knows(struct xrd_server *s, uint16_t port, const struct xrd_packet *p,
				  struct str datagram)
{
	struct xrd_recent *r = &s->recent;
	if (p->is_headless)	/* without a number, an equal event need not be a copy */
		return XRD_NEW;
	uint64_t content = server_content_hash(p, datagram);
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
		server_forget(all, all->server[0]);
	map_free(&all->by_source);
}
