/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_servers.c - who sends: each start of each server, with its counters */
#include "tracers/xrd_servers.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static const char providers[] = "CPTMROH";	/* of g: each has a counter of its own */
enum { LANE_MAPS, LANE_F, LANE_G };
_Static_assert(LANE_G + sizeof(providers) - 1 <= ARRAY_SIZE(((struct xrd_server *)NULL)->lane),
	       "a lane for each kind of g");

static size_t place(const struct xrd_source *from, uint32_t start)
{
	struct str address = { (const char *)&from->address, sizeof(from->address) };
	uint64_t h = str_hash(address) ^ from->port ^ (uint64_t)start << 16;
	return (size_t)(h ^ h >> 32) % ARRAY_SIZE(((struct xrd_servers *)NULL)->bucket);
}

static void free_server(struct xrd_servers *all, struct xrd_server *s)
{
	const struct xrd_ordered to = { .held_bytes = &all->held_bytes };
	for (size_t i = 0; i < ARRAY_SIZE(s->lane); i++) {
		if (s->lane[i])
			xrd_order_free(s->lane[i], &to);
		free(s->lane[i]);
	}
	all->gone.received += s->seen.received;
	all->gone.lost += s->seen.lost;
	all->gone.reordered += s->seen.reordered;
	all->gone.duplicate += s->seen.duplicate;
	free(s);
}

static void forget(struct xrd_servers *all, struct xrd_server *s)
{
	struct xrd_server **at = &all->bucket[place(&s->source, s->start)];
	while (*at != s)
		at = &(*at)->chain;
	*at = s->chain;
	all->server[s->place] = all->server[--all->n];
	all->server[s->place]->place = s->place;
	free_server(all, s);
}

static void forget_oldest(struct xrd_servers *all)
{
	struct xrd_server *oldest = all->server[0];
	for (size_t i = 1; i < all->n; i++)
		if (all->server[i]->last < oldest->last)
			oldest = all->server[i];
	if (all->on_forgotten)
		all->on_forgotten(all->arg, oldest);
	forget(all, oldest);
	all->evicted++;
}

static struct xrd_server *add(struct xrd_servers *all, const struct xrd_source *from,
			      uint32_t start)
{
	struct xrd_server *s = calloc(1, sizeof(*s));
	struct xrd_server **at = &all->bucket[place(from, start)];
	if (!s)
		abort();
	s->source = *from;
	s->start = start;
	s->number = ++all->numbers;
	s->counts = true;
	s->chain = *at;
	s->place = all->n;
	all->server[all->n++] = s;
	if (IN6_IS_ADDR_V4MAPPED(&from->address))
		inet_ntop(AF_INET, from->address.s6_addr + 12, s->ip, sizeof(s->ip));
	else
		inet_ntop(AF_INET6, &from->address, s->ip, sizeof(s->ip));
	*at = s;
	return s;
}

struct xrd_server *xrd_server_of(struct xrd_servers *all, const struct xrd_source *from,
				 uint32_t start, int64_t now, bool *anew)
{
	struct xrd_server *s = all->bucket[place(from, start)];
	while (s && (s->start != start || s->source.port != from->port ||
		     memcmp(&s->source.address, &from->address, sizeof(from->address)) != 0))
		s = s->chain;
	*anew = !s;
	if (!s) {
		if (all->n >= XRD_SERVERS_MAX)
			forget_oldest(all);
		s = add(all, from, start);
	}
	s->last = now;
	return s;
}

struct xrd_server *xrd_server_numbered(const struct xrd_servers *all, uint32_t number)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->server[i]->number == number)
			return all->server[i];
	return NULL;
}

/* "v5.0.3" and what is older counts for all destinations together. */
static bool counts_each(struct str version)
{
	uint64_t major, minor;
	str_take_prefix(&version, STR("v"));
	if (!str_take_u64(&version, &major) || !str_take_prefix(&version, STR(".")) ||
	    !str_take_u64(&version, &minor))
		return true;
	return major > 5 || (major == 5 && minor >= 1);
}

/* A value of a line that a program wrote: "name":"value" or "name":value. */
static struct str json_value(struct str line, struct str name)
{
	const char *at = memmem(line.p, line.n, name.p, name.n);
	struct str s = at ? str_skip(line, (size_t)(at - line.p) + name.n) : STR("");
	struct str value = STR("");
	if (str_take_prefix(&s, STR("\"")))
		str_take_until(&s, '"', &value);
	else
		while (value.n < s.n && s.p[value.n] >= '0' && s.p[value.n] <= '9')
			value = (struct str){ s.p, value.n + 1 };
	return value;
}

static void identify_json(struct xrd_server *s, struct str line)
{
	str_copy(s->site, sizeof(s->site), json_value(line, STR("\"site\":")));
	str_copy(s->host, sizeof(s->host), json_value(line, STR("\"host\":")));
	str_copy(s->port, sizeof(s->port), json_value(line, STR("\"port\":")));
	str_copy(s->instance, sizeof(s->instance), json_value(line, STR("\"inst\":")));
	str_copy(s->program, sizeof(s->program), json_value(line, STR("\"pgm\":")));
	str_copy(s->version, sizeof(s->version), json_value(line, STR("\"ver\":")));
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
		if (xrd_user_split(userid, &u)) {
			str_copy(s->host, sizeof(s->host), u.host);
			s->has_sid = s->has_sid || str_take_u64(&u.sid, &s->sid);
		}
	} else {
		str_copy(s->host, sizeof(s->host), xrd_pair(info, STR("host")));
	}
	str_copy(s->site, sizeof(s->site), xrd_pair(info, STR("site")));
	str_copy(s->port, sizeof(s->port), xrd_pair(info, STR("port")));
	str_copy(s->instance, sizeof(s->instance), xrd_pair(info, STR("inst")));
	str_copy(s->program, sizeof(s->program), xrd_pair(info, STR("pgm")));
	str_copy(s->version, sizeof(s->version), xrd_pair(info, STR("ver")));
	if (*s->version)
		s->counts = counts_each(str_of(s->version));
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

struct xrd_order *xrd_server_lane(struct xrd_server *s, const struct xrd_packet *p)
{
	int i = s->counts ? lane_of(p) : -1;
	if (i < 0)
		return NULL;
	if (!s->lane[i]) {
		s->lane[i] = calloc(1, sizeof(*s->lane[i]));
		if (!s->lane[i])
			abort();
		s->lane[i]->wrap = p->form == XRD_BINARY ? 256 : 1000;
	}
	return s->lane[i];
}

void xrd_servers_free(struct xrd_servers *all)
{
	while (all->n)
		forget(all, all->server[0]);
}
