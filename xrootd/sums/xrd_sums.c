/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_sums.c - sums of all monitoring by server and minute, as rows of records */
#include "xrootd/sums/xrd_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "schema/marks.h"
#include "formats/raw_write.h"
#include "formats/xrootd/packet.h"
#include "xrootd/sums/sums_parts.h"

/* delay after its end at which a minute is reported, in microseconds */
#define REPORT_DELAY_US ((int64_t)65000000)
/* longest gap between two ticks, in minutes; after a longer gap, skip the minutes between */
#define JUMP_MINUTES    10
#define HOSTS_MAX       XRD_SERVERS_MAX
/* additional hosts, only for addresses with few servers */
#define HOSTS_RESERVED  512
#define OTHERS          "others"	/* common name of all further servers */
/* maximum number of organisations of a server; further organisations share a name */
#define PARTS_MAX       32
#define PART_NAME_BYTES 64	/* maximum length of an organisation's name, in bytes */

static struct sums_host *sums_find(const struct xrd_sums *s, const char *name)
{
	uint64_t hash = map_hash(str_of(name));
	for (struct map_slot *at = NULL; (at = map_next(&s->by_name, hash, at));)
		if (strcmp(((struct sums_host *)at->value.p)->name, name) == 0)
			return at->value.p;
	return NULL;
}

struct sums_host *sums_host_add(struct xrd_sums *s, const char *name,
				const struct in6_addr *address, const struct sums_host *server)
{
	struct sums_host *h = xrealloc(NULL, sizeof(*h));
	*h = (struct sums_host){
		.since = s->newest, .address = *address, .heard = s->now, .server = server,
	};
	str_copy(h->name, sizeof(h->name), str_of(name));
	map_add(&s->by_name, map_hash(str_of(name)), (union map_value){ .p = h });
	*s->end = h;
	s->end = &h->next;
	s->n++;
	s->n_parts += server != NULL;
	return h;
}

static struct sums_host *sums_others(struct xrd_sums *s)
{
	struct sums_host *h = sums_find(s, OTHERS);
	return h ? h : sums_host_add(s, OTHERS, &in6addr_any, NULL);
}

static bool sums_is_from(const struct sums_host *h, const struct in6_addr *address)
{
	return memcmp(&h->address, address, sizeof(*address)) == 0 ||
	       strcmp(h->name, OTHERS) == 0;
}

/* Make "NAME@ADDRESS". Shorten the name if there is not enough room. */
static void sums_add_address(char *to, size_t size, const char *name,
			     const struct in6_addr *address)
{
	char text[INET6_ADDRSTRLEN];
	packet_address_text(address, text);
	snprintf(to, size, "%.*s@%s", (int)(size - sizeof(text) - 2), name, text);
}

/* Check if an address may add a host. HOSTS_RESERVED hosts are for addresses with few servers. */
static bool sums_has_room(const struct xrd_sums *s, const struct in6_addr *address)
{
	size_t n = s->n - s->n_parts, of_address = 0;
	if (n < HOSTS_MAX)
		return true;
	for (const struct sums_host *h = s->first; h; h = h->next)
		of_address += !h->server && sums_is_from(h, address);
	return n < HOSTS_MAX + HOSTS_RESERVED && of_address < XRD_SERVERS_SHARE;
}

/*
 * Get the sums of a name. If the name belongs to another address, append the address to the name.
 */
static struct sums_host *sums_host_from(struct xrd_sums *s, const char *name,
				  const struct in6_addr *address)
{
	char with_address[2 * XRD_TEXT];
	struct sums_host *h = sums_find(s, name);
	if (h && !h->server && s->now - h->heard > SUMS_SILENT)
		h->address = *address;
	if (h && (h->server || !sums_is_from(h, address))) {
		sums_add_address(with_address, sizeof(with_address), name, address);
		name = with_address;
		h = sums_find(s, with_address);
	}
	if (h && !h->server && sums_is_from(h, address))
		return h;
	return h || !sums_has_room(s, address) ? sums_others(s) : sums_host_add(s, name, address,
										NULL);
}

/*
 * Find the sums of an organisation, or NULL. If its name is already a server's name, append the
 * address to *name.
 */
static struct sums_host *sums_find_part(const struct xrd_sums *s, const struct sums_host *server,
					char *name, size_t size)
{
	char with_address[2 * XRD_TEXT];
	struct sums_host *h = sums_find(s, name);
	if (!h || h->server == server)
		return h;
	sums_add_address(with_address, sizeof(with_address), name, &server->address);
	str_copy(name, size, str_of(with_address));
	return sums_find(s, name);
}

struct sums_host *sums_part_of(struct xrd_sums *s, struct sums_host *server, struct str part)
{
	char name[sizeof(server->name)];
	const int room = (int)sizeof(name) - PART_NAME_BYTES - 2;
	if (!part.n)
		part = STR("-");
	snprintf(name, sizeof(name), "%.*s:%.*s", room, server->name,
		 (int)(part.n < PART_NAME_BYTES ? part.n : PART_NAME_BYTES), part.p);
	struct sums_host *h = sums_find_part(s, server, name, sizeof(name));
	if (!h && (server->n_parts >= PARTS_MAX || s->n_parts >= HOSTS_MAX)) {
		snprintf(name, sizeof(name), "%.*s:" OTHERS, room, server->name);
		h = sums_find_part(s, server, name, sizeof(name));
	} else if (!h) {
		server->n_parts++;
	}
	if (!h)
		h = sums_host_add(s, name, &server->address, server);
	else if (h->server != server)
		h = sums_others(s);
	h->sends[TYPE_TRANSFER] = true;
	return h;
}

/*
 * Move all counts to the name that a server has just given. Nothing was reported under its old
 * name.
 */
static void sums_move_counts(struct sums_host *from, struct sums_host *to)
{
	for (size_t m = 0; m < PENDING_MINUTES; m++)
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
	if (h && !identified && sums_is_from(h, &v->source.address))
		return h;
	xrd_server_name(v, name, sizeof(name));
	v->reported_as = sums_host_from(s, name, &v->source.address);
	if (h && h != v->reported_as && !h->reported && sums_is_from(v->reported_as, &h->address))
		sums_move_counts(h, v->reported_as);
	h = v->reported_as;
	h->sends[TYPE_SERVER] = h->sends[TYPE_RECEIVER] = true;
	return h;
}

const char *xrd_sums_name(struct xrd_sums *s, const char *name, const struct in6_addr *address)
{
	struct sums_host *h = sums_host_from(s, name, address);
	h->heard = s->now;
	return h->name;
}

void xrd_sums_link(struct xrd_sums *s, const struct xrd_link_bytes *more)
{
	struct sums_host *h = sums_host_from(s, more->name, more->from);
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
	return h->minute[minute % PENDING_MINUTES];
}

void sums_note_start(uint64_t *to, const struct xrd_server *v)
{
	if (to[STARTED] < v->start)
		to[STARTED] = v->start;
}

/*
 * Add the server's new counts. The number of lost datagrams can decrease, because a datagram that
 * was counted as lost may still arrive.
 */
static void sums_take_counts(uint64_t *to, struct xrd_server *v)
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

static bool sums_has_news(const struct xrd_server *v)
{
	return !v->reported_as || v->n_open || memcmp(&v->seen, &v->reported, sizeof(v->seen)) != 0;
}

/* Add the new counts of all servers to the newest minute, at its end. */
static void sums_end_minute(struct xrd_sums *s)
{
	for (struct sums_host *h = s->first; h; h = h->next)
		h->minute[s->newest % PENDING_MINUTES][OPEN_FILES] = 0;
	for (size_t i = 0; i < s->all->n; i++) {
		struct xrd_server *v = s->all->server[i];
		if (sums_has_news(v))
			sums_take_counts(sums_at_minute(s, sums_host_of(s, v, false), s->newest),
					 v);
	}
}

static void sums_on_forgotten(void *arg, struct xrd_server *v)
{
	struct xrd_sums *s = arg;
	sums_take_counts(sums_at_minute(s, sums_host_of(s, v, false), s->newest), v);
}

static void sums_add_minute(struct sums_host *h, const uint64_t *minute)
{
	for (size_t k = 0; k < XRD_KEYS; k++) {
		if (xrd_keys[k].kind == COUNTER)
			h->sum[k] = sums_plus(h->sum[k], minute[k]);
		else if (k == OPEN_FILES || minute[k])
			h->sum[k] = minute[k];
	}
}

static void sums_report_oldest(struct xrd_sums *s, int64_t usec)
{
	for (struct sums_host *h = s->first; h; h = h->next) {
		uint64_t *minute = h->minute[s->oldest % PENDING_MINUTES];
		sums_add_minute(h, minute);
		memset(minute, 0, sizeof(h->minute[0]));
		h->reported = h->reported || h->since <= s->oldest;
	}
	s->to.minute(s->to.arg, usec, s);
	s->oldest++;
}

static void sums_start(struct xrd_sums *s, int64_t now)
{
	s->newest = now / XRD_MINUTE;
	s->oldest = s->newest ? s->newest - 1 : 0;
}

/* Report all minutes up to now, because the input ends or the clock jumped. */
static void sums_report_all(struct xrd_sums *s)
{
	sums_end_minute(s);
	while (s->oldest < s->newest)
		sums_report_oldest(s, (s->oldest + 1) * XRD_MINUTE);
	sums_report_oldest(s, s->now);
}

void xrd_sums_tick(struct xrd_sums *s, int64_t now)
{
	int64_t minute = now / XRD_MINUTE;
	if (!s->started) {
		s->started = true;
		sums_start(s, now);
		s->to.minute(s->to.arg, s->oldest * XRD_MINUTE, s);
	}
	if (minute > s->newest + JUMP_MINUTES || minute < s->newest - JUMP_MINUTES) {
		sums_report_all(s);
		sums_start(s, now);
		s->oldest = s->newest;
		s->now = now;
	}
	while (s->newest < minute) {
		sums_end_minute(s);
		s->newest++;
		int64_t due = s->newest * XRD_MINUTE - REPORT_DELAY_US;
		while ((s->oldest + 1) * XRD_MINUTE <= due)
			sums_report_oldest(s, (s->oldest + 1) * XRD_MINUTE);
	}
	if (now > s->now)
		s->now = now;
	while ((s->oldest + 1) * XRD_MINUTE <= now - REPORT_DELAY_US)
		sums_report_oldest(s, (s->oldest + 1) * XRD_MINUTE);
}

void xrd_sums_finish(struct xrd_sums *s)
{
	if (s->started)
		sums_report_all(s);
}

void xrd_sums_rebase(struct xrd_sums *s, int64_t until_us)
{
	for (struct sums_host *h = s->first; h; h = h->next)
		memset(h->sum, 0, sizeof(h->sum));
	for (; s->oldest < s->newest && (s->oldest + 1) * XRD_MINUTE <= until_us; s->oldest++)
		for (struct sums_host *h = s->first; h; h = h->next)
			memset(h->minute[s->oldest % PENDING_MINUTES], 0, sizeof(h->minute[0]));
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
 * Check if a host has a row of this type. A host that reports closes has no row of the type for
 * opens, because type "xrootd" has its opens, too. Bytes on the network have a row only if the host
 * also reports accesses, so that both can be compared.
 */
static bool sums_has_row(const struct sums_host *h, size_t type)
{
	if (type == TYPE_BYTES)
		return h->sends[type] && (h->sends[TYPE_OPENS] || h->sends[TYPE_T]);
	return h->sends[type] && !(type == TYPE_OPENS && h->sends[TYPE_FILES]);
}

/*
 * Get the value of a key. For a cache, use the bytes of cached files if they are more, because its
 * accesses lack asynchronous reads.
 */
static uint64_t sums_value(const struct sums_host *h, size_t key)
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
			if (!h->reported || !sums_has_row(h, i))
				continue;
			buf_add(b, str_of(t->name));
			buf_add_char(b, ' ');
			buf_add_word(b, str_of(h->name), false);
			for (size_t k = t->first; k <= t->last; k++) {
				buf_add_char(b, ' ');
				buf_add_u64(b, sums_value(h, k));
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
	all->on_forgotten = sums_on_forgotten;
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
