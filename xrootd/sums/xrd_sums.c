/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_sums.c - what servers report, added up by server and minute, as rows of records */
#include "tracers/xrootd/sums/xrd_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "schema/marks.h"
#include "formats/raw_write.h"
#include "formats/xrootd/packet.h"
#include "tracers/xrootd/sums/sums_parts.h"

#define LATE      ((int64_t)65000000)	/* after its end a minute is reported */
#define JUMP      10			/* minutes without any tick: they are left out */
#define HOSTS_MAX XRD_SERVERS_MAX
#define HOSTS_KEPT 512			/* and so many more for addresses that have few */
#define OTHERS    "others"		/* all servers after the first HOSTS_MAX */
#define PARTS_MAX 32			/* of a server; the others are one */
#define PART_NAME 64			/* bytes of it */

static struct sums_host *find(const struct xrd_sums *s, const char *name)
{
	uint64_t hash = map_hash(str_of(name));
	for (struct map_slot *at = NULL; (at = map_next(&s->by_name, hash, at));)
		if (strcmp(((struct sums_host *)at->value.p)->name, name) == 0)
			return at->value.p;
	return NULL;
}

struct sums_host *sums_host_add(struct xrd_sums *s, const char *name,
				const struct in6_addr *address, const struct sums_host *whole)
{
	struct sums_host *h = xrealloc(NULL, sizeof(*h));
	*h = (struct sums_host){
		.since = s->newest, .address = *address, .heard = s->now, .whole = whole,
	};
	str_copy(h->name, sizeof(h->name), str_of(name));
	map_add(&s->by_name, map_hash(str_of(name)), (union map_value){ .p = h });
	*s->end = h;
	s->end = &h->next;
	s->n++;
	s->n_parts += whole != NULL;
	return h;
}

static struct sums_host *others(struct xrd_sums *s)
{
	struct sums_host *h = find(s, OTHERS);
	return h ? h : sums_host_add(s, OTHERS, &in6addr_any, NULL);
}

static bool is_from(const struct sums_host *h, const struct in6_addr *address)
{
	return memcmp(&h->address, address, sizeof(*address)) == 0 ||
	       strcmp(h->name, OTHERS) == 0;
}

/* "NAME@ADDRESS", cut in the name. */
static void add_address(char *to, size_t size, const char *name, const struct in6_addr *address)
{
	char text[INET6_ADDRSTRLEN];
	packet_address_text(address, text);
	snprintf(to, size, "%.*s@%s", (int)(size - sizeof(text) - 2), name, text);
}

/* Whether an address may have another place: none can take all of them. */
static bool has_room(const struct xrd_sums *s, const struct in6_addr *address)
{
	size_t n = s->n - s->n_parts, own = 0;
	if (n < HOSTS_MAX)
		return true;
	for (const struct sums_host *h = s->first; h; h = h->next)
		own += !h->whole && is_from(h, address);
	return n < HOSTS_MAX + HOSTS_KEPT && own < XRD_SERVERS_SHARE;
}

/* Of a name that another address has, one of his own. */
static struct sums_host *host_from(struct xrd_sums *s, const char *name,
				  const struct in6_addr *address)
{
	char own[2 * XRD_TEXT];
	struct sums_host *h = find(s, name);
	if (h && !h->whole && s->now - h->heard > SUMS_SILENT)
		h->address = *address;
	if (h && (h->whole || !is_from(h, address))) {
		add_address(own, sizeof(own), name, address);
		name = own;
		h = find(s, own);
	}
	if (h && !h->whole && is_from(h, address))
		return h;
	return h || !has_room(s, address) ? others(s) : sums_host_add(s, name, address, NULL);
}

/* There, or NULL; *name is another one where a server has a name that looks like it. */
static struct sums_host *find_part(const struct xrd_sums *s, const struct sums_host *whole,
				   char *name, size_t size)
{
	char own[2 * XRD_TEXT];
	struct sums_host *h = find(s, name);
	if (!h || h->whole == whole)
		return h;
	add_address(own, sizeof(own), name, &whole->address);
	str_copy(name, size, str_of(own));
	return find(s, name);
}

struct sums_host *sums_part_of(struct xrd_sums *s, struct sums_host *whole, struct str part)
{
	char name[sizeof(whole->name)];
	const int room = (int)sizeof(name) - PART_NAME - 2;
	if (!part.n)
		part = STR("-");
	snprintf(name, sizeof(name), "%.*s:%.*s", room, whole->name,
		 (int)(part.n < PART_NAME ? part.n : PART_NAME), part.p);
	struct sums_host *h = find_part(s, whole, name, sizeof(name));
	if (!h && (whole->n_parts >= PARTS_MAX || s->n_parts >= HOSTS_MAX)) {
		snprintf(name, sizeof(name), "%.*s:" OTHERS, room, whole->name);
		h = find_part(s, whole, name, sizeof(name));
	} else if (!h) {
		whole->n_parts++;
	}
	if (!h)
		h = sums_host_add(s, name, &whole->address, whole);
	else if (h->whole != whole)
		h = others(s);
	h->sends[TYPE_TRANSFER] = true;
	return h;
}

/* Before anything of it was reported, it said who it is: so it was from the start. */
static void move(struct sums_host *from, struct sums_host *to)
{
	for (size_t m = 0; m < PENDING; m++)
		for (size_t k = 0; k < XRD_KEYS; k++)
			to->minute[m][k] = xrd_keys[k].kind == GAUGE ? from->minute[m][k] :
					   sums_plus(to->minute[m][k], from->minute[m][k]);
	for (size_t i = 0; i < XRD_TYPES; i++)
		to->sends[i] |= from->sends[i];
	if (from->since < to->since && !to->reported)
		to->since = from->since;
	memset(from->minute, 0, sizeof(from->minute));
	memset(from->sends, 0, sizeof(from->sends));
}

struct sums_host *sums_host_of(struct xrd_sums *s, struct xrd_server *v, bool identified)
{
	char name[XRD_NAME_SIZE];
	struct sums_host *h = v->reported_as;
	if (h && !identified && is_from(h, &v->source.address))
		return h;
	xrd_server_name(v, name, sizeof(name));
	v->reported_as = host_from(s, name, &v->source.address);
	if (h && h != v->reported_as && !h->reported && is_from(v->reported_as, &h->address))
		move(h, v->reported_as);
	h = v->reported_as;
	h->sends[TYPE_SERVER] = h->sends[TYPE_RECEIVER] = true;
	return h;
}

const char *xrd_sums_name(struct xrd_sums *s, const char *name, const struct in6_addr *address)
{
	struct sums_host *h = host_from(s, name, address);
	h->heard = s->now;
	return h->name;
}

void xrd_sums_link(struct xrd_sums *s, const struct xrd_link_bytes *more)
{
	struct sums_host *h = host_from(s, more->name, more->from);
	uint64_t *to = sums_at_minute(s, h, s->newest);
	h->sends[TYPE_BYTES] = true;
	to[LINK_IN] = sums_plus(to[LINK_IN], more->in);
	to[LINK_OUT] = sums_plus(to[LINK_OUT], more->out);
}

uint64_t *sums_at_minute(const struct xrd_sums *s, struct sums_host *h, int64_t minute)
{
	if (minute < s->oldest)
		minute = s->oldest;
	if (minute > s->newest)
		minute = s->newest;
	if (minute < h->since)
		h->since = minute;
	return h->minute[minute % PENDING];
}

void sums_note_start(uint64_t *to, const struct xrd_server *v)
{
	if (to[STARTED] < v->start)
		to[STARTED] = v->start;
}

/* Takes the counts that the datagrams' numbers show; lost datagrams may come late after all. */
static void take_counts(uint64_t *to, struct xrd_server *v)
{
	static const struct {
		enum xrd_key key;
		enum xrd_count count;
	} counts[] = {
		{ DATAGRAMS,   XRD_RECEIVED  }, { LOST,          XRD_LOST       },
		{ REORDERED,   XRD_REORDERED }, { DUPLICATE,     XRD_DUPLICATE  },
		{ PACKETS,     XRD_RECEIVED  }, { PACKETS_LOST,  XRD_LOST       },
		{ RECORDS,     XRD_RECORDS   }, { DAMAGED,       XRD_DAMAGED    },
		{ GAPS,        XRD_GAPS      }, { FORGOTTEN,     XRD_FORGOTTEN  },
		{ JOINED,      XRD_JOINED    }, { NOT_JOINED,    XRD_INCOMPLETE },
	};
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		enum xrd_count n = counts[i].count;
		if (v->seen.n[n] > v->reported.n[n])
			to[counts[i].key] += v->seen.n[n] - v->reported.n[n];
	}
	for (size_t i = 0; i < XRD_COUNTS; i++)
		if (v->seen.n[i] > v->reported.n[i])
			v->reported.n[i] = v->seen.n[i];
	sums_note_start(to, v);
	to[OPEN_FILES] += v->n_open;
}

static bool has_news(const struct xrd_server *v)
{
	return !v->reported_as || v->n_open || memcmp(&v->seen, &v->reported, sizeof(v->seen)) != 0;
}

/* At the end of the newest minute. */
static void end_minute(struct xrd_sums *s)
{
	for (struct sums_host *h = s->first; h; h = h->next)
		h->minute[s->newest % PENDING][OPEN_FILES] = 0;
	for (size_t i = 0; i < s->all->n; i++) {
		struct xrd_server *v = s->all->server[i];
		if (has_news(v))
			take_counts(sums_at_minute(s, sums_host_of(s, v, false), s->newest), v);
	}
}

static void on_forgotten(void *arg, struct xrd_server *v)
{
	struct xrd_sums *s = arg;
	take_counts(sums_at_minute(s, sums_host_of(s, v, false), s->newest), v);
}

static void add_minute(struct sums_host *h, const uint64_t *minute)
{
	for (size_t k = 0; k < XRD_KEYS; k++) {
		if (xrd_keys[k].kind == COUNTER)
			h->sum[k] = sums_plus(h->sum[k], minute[k]);
		else if (k == OPEN_FILES || minute[k])
			h->sum[k] = minute[k];
	}
}

static void tell_oldest(struct xrd_sums *s, int64_t usec)
{
	for (struct sums_host *h = s->first; h; h = h->next) {
		uint64_t *minute = h->minute[s->oldest % PENDING];
		add_minute(h, minute);
		memset(minute, 0, sizeof(h->minute[0]));
		h->reported = h->reported || h->since <= s->oldest;
	}
	s->to.minute(s->to.arg, usec, s);
	s->oldest++;
}

static void start(struct xrd_sums *s, int64_t now)
{
	s->newest = now / XRD_MINUTE;
	s->oldest = s->newest ? s->newest - 1 : 0;
}

/* Up to now, where the input ends or the clock jumps. */
static void tell_all(struct xrd_sums *s)
{
	end_minute(s);
	while (s->oldest < s->newest)
		tell_oldest(s, (s->oldest + 1) * XRD_MINUTE);
	tell_oldest(s, s->now);
}

void xrd_sums_tick(struct xrd_sums *s, int64_t now)
{
	int64_t minute = now / XRD_MINUTE;
	if (!s->started) {
		s->started = true;
		start(s, now);
		s->to.minute(s->to.arg, s->oldest * XRD_MINUTE, s);
	}
	if (minute > s->newest + JUMP || minute < s->newest - JUMP) {
		tell_all(s);
		start(s, now);
		s->oldest = s->newest;
		s->now = now;
	}
	while (s->newest < minute) {
		end_minute(s);
		s->newest++;
		int64_t due = s->newest * XRD_MINUTE - LATE;
		while ((s->oldest + 1) * XRD_MINUTE <= due)
			tell_oldest(s, (s->oldest + 1) * XRD_MINUTE);
	}
	if (now > s->now)
		s->now = now;
	while ((s->oldest + 1) * XRD_MINUTE <= now - LATE)
		tell_oldest(s, (s->oldest + 1) * XRD_MINUTE);
}

void xrd_sums_finish(struct xrd_sums *s)
{
	if (s->started)
		tell_all(s);
}

void xrd_sums_rebase(struct xrd_sums *s, int64_t until_us)
{
	for (struct sums_host *h = s->first; h; h = h->next)
		memset(h->sum, 0, sizeof(h->sum));
	for (; s->oldest < s->newest && (s->oldest + 1) * XRD_MINUTE <= until_us; s->oldest++)
		for (struct sums_host *h = s->first; h; h = h->next)
			memset(h->minute[s->oldest % PENDING], 0, sizeof(h->minute[0]));
}

void xrd_sums_put_schema(struct buf *b)
{
	const uint64_t all = UINT64_MAX;
	for (size_t i = 0; i < XRD_TYPES; i++) {
		const struct xrd_type *t = &xrd_types[i];
		raw_put_schema(b, t->name, &xrd_keys[t->first], (size_t)(t->last - t->first) + 1,
			       &all);
	}
}

void xrd_sums_put_restart(struct buf *b)
{
	for (size_t i = 0; i < XRD_TYPES; i++) {
		struct buf mark CLEANUP(buf_free) = { 0 };
		buf_addf(&mark, "%s %s", mark_verbs[MARK_RESTART], xrd_types[i].name);
		raw_put_mark(b, buf_str(&mark));
	}
}

/*
 * Type "xrootd" has the same opens as soon as the host reports a close. Bytes are compared where
 * the host reports accesses, too.
 */
static bool has_row(const struct sums_host *h, size_t type)
{
	if (type == TYPE_BYTES)
		return h->sends[type] && (h->sends[TYPE_OPENS] || h->sends[TYPE_T]);
	return h->sends[type] && !(type == TYPE_OPENS && h->sends[TYPE_FILES]);
}

/* The accesses of a cache lack its asynchronous reads; its files do not. */
static uint64_t value_of(const struct sums_host *h, size_t key)
{
	uint64_t v = h->sum[key];
	uint64_t served = sums_plus(h->sum[CACHE_HIT_BYTES],
				    sums_plus(h->sum[CACHE_MISS_BYTES],
					      h->sum[CACHE_BYPASS_BYTES]));
	return key == OUT_EXPLAINED && served > v ? served : v;
}

size_t xrd_sums_put_rows(struct buf *b, const struct xrd_sums *s)
{
	size_t rows = 0;
	for (size_t i = 0; i < XRD_TYPES; i++) {
		const struct xrd_type *t = &xrd_types[i];
		for (const struct sums_host *h = s->first; h; h = h->next) {
			if (!h->reported || !has_row(h, i))
				continue;
			buf_add(b, str_of(t->name));
			buf_add_char(b, ' ');
			buf_add_word(b, str_of(h->name), false);
			for (size_t k = t->first; k <= t->last; k++) {
				buf_add_char(b, ' ');
				buf_add_u64(b, value_of(h, k));
			}
			buf_add_char(b, '\n');
			rows++;
		}
	}
	return rows;
}

struct xrd_sums *xrd_sums_new(const struct xrd_sums_listener *to, struct xrd_servers *all)
{
	struct xrd_sums *s = xrealloc(NULL, sizeof(*s));
	*s = (struct xrd_sums){ .to = *to, .all = all };
	s->end = &s->first;
	all->on_forgotten = on_forgotten;
	all->arg = s;
	return s;
}

void xrd_sums_free(struct xrd_sums *s)
{
	for (struct sums_host *h = s->first, *next; h; h = next) {
		next = h->next;
		free(h);
	}
	map_free(&s->by_name);
	free(s);
}
