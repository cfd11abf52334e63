/* SPDX-License-Identifier: BSD-3-Clause */
/* counts_page.c - serve the receiver's own counters to Prometheus over HTTP (--listen) */
#include "xrootd/counts_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/vec.h"
#include "formats/line/exposition.h"
#include "schema/metric.h"
#include "sinks/page_server.h"
#include "xrootd/join/byte_counts.h"

#define PREFIX    "nodometer_receiver_"
/*
 * how long a page is reused, in nanoseconds: frequent requests must not delay the reading of UDP
 * ports
 */
#define PAGE_NS   1000000000
#define OTHERS    "others"	/* common name of all servers beyond XRD_SERVERS_MAX */

/* Counts of one server, summed over all its starts. */
struct counted_server {
	char name[XRD_NAME_SIZE], ip[XRD_TEXT];
	struct xrd_counts counts;
	uint64_t read, written;	/* bytes of all accesses, as far as known */
	uint64_t open_files;
	int64_t last;		/* time of the last datagram, microseconds */
};

struct counts_page {
	struct page_server *server;
	struct xrootd_program *program;
	struct buf text;
	/* when the page was made, in nanoseconds of CLOCK_MONOTONIC; 0: never */
	int64_t made_ns;
	struct map by_name;
	struct counted_server **counted;
	size_t n, cap;
};

/* The member of struct counted_server that is the value of a series. */
enum server_value { VALUE_COUNT, VALUE_READ, VALUE_WRITTEN, VALUE_OPEN, VALUE_LAST };

static const struct server_series {
	const char *name, *help;
	enum metric_kind kind;
	enum server_value value;
	enum xrd_count count;
} series[] = {
	{ "server_datagrams", "Datagrams received from the server.", COUNTER, VALUE_COUNT,
	  XRD_RECEIVED },
	{ "server_lost", "Datagrams of the server that are missing.", COUNTER, VALUE_COUNT,
	  XRD_LOST },
	{ "server_gaps", "Places where datagrams of the server are missing.", COUNTER,
	  VALUE_COUNT, XRD_GAPS },
	{ "server_reordered", "Datagrams of the server that came out of order.", COUNTER,
	  VALUE_COUNT, XRD_REORDERED },
	{ "server_duplicate", "Datagrams of the server that were received twice.", COUNTER,
	  VALUE_COUNT, XRD_DUPLICATE },
	{ "server_damaged", "Datagrams of the server that were not wholly understood.", COUNTER,
	  VALUE_COUNT, XRD_DAMAGED },
	{ "server_records", "Records in the server's datagrams.", COUNTER, VALUE_COUNT,
	  XRD_RECORDS },
	{ "server_joined", "Accesses to the server's files that are complete.", COUNTER,
	  VALUE_COUNT, XRD_JOINED },
	{ "server_incomplete", "Accesses to the server's files with something missing.", COUNTER,
	  VALUE_COUNT, XRD_INCOMPLETE },
	{ "server_read_bytes", "Bytes that ended accesses read, as far as they are known.",
	  COUNTER, VALUE_READ, XRD_COUNTS },
	{ "server_written_bytes", "Bytes that ended accesses wrote, as far as they are known.",
	  COUNTER, VALUE_WRITTEN, XRD_COUNTS },
	{ "server_open_files", "Files of the server that are open.", GAUGE, VALUE_OPEN,
	  XRD_COUNTS },
	{ "server_last_datagram_timestamp_seconds", "Arrival of the server's last datagram.",
	  GAUGE, VALUE_LAST, XRD_COUNTS },
};

static struct counted_server *counts_find(const struct counts_page *c, const char *name,
					  const char *ip)
{
	uint64_t hash = map_hash(str_of(name));
	for (struct map_slot *at = NULL; (at = map_next(&c->by_name, hash, at));) {
		struct counted_server *s = at->value.p;
		if (strcmp(s->name, name) == 0 && strcmp(s->ip, ip) == 0)
			return s;
	}
	return NULL;
}

/*
 * Get or add the counts of a server. A server is identified by name and address, because several
 * addresses may claim the same name.
 */
static struct counted_server *counts_get(struct counts_page *c, const char *name, const char *ip)
{
	struct counted_server *s = counts_find(c, name, ip);
	if (!s && c->n >= XRD_SERVERS_MAX) {
		name = OTHERS;
		ip = "";
		s = counts_find(c, name, ip);
	}
	if (s)
		return s;
	s = xrealloc(NULL, sizeof(*s));
	*s = (struct counted_server){ .last = 0 };
	str_copy(s->name, sizeof(s->name), str_of(name));
	str_copy(s->ip, sizeof(s->ip), str_of(ip));
	map_add(&c->by_name, map_hash(str_of(name)), (union map_value){ .p = s });
	c->counted = vec_reserve(c->counted, &c->cap, c->n + 1, sizeof(*c->counted));
	c->counted[c->n++] = s;
	return s;
}

static struct counted_server *counts_of_server(struct counts_page *c, const struct xrd_server *v)
{
	char name[XRD_NAME_SIZE];
	xrd_server_name(v, name, sizeof(name));
	return counts_get(c, name, v->ip);
}

/*
 * Add the new counts of a server. Its number of lost datagrams can decrease: a datagram that was
 * counted as lost may still arrive.
 */
static void counts_take(struct counted_server *s, struct xrd_server *v)
{
	for (size_t i = 0; i < XRD_COUNTS; i++)
		if (v->seen.n[i] > v->counted.n[i]) {
			s->counts.n[i] += v->seen.n[i] - v->counted.n[i];
			v->counted.n[i] = v->seen.n[i];
		}
	s->open_files += v->n_open;
	if (s->last < v->last)
		s->last = v->last;
}

void counts_page_tick(struct counts_page *c)
{
	const struct xrd_servers *all = xrd_join_servers(c->program->join);
	for (size_t i = 0; i < c->n; i++)
		c->counted[i]->open_files = 0;
	for (size_t i = 0; i < all->n; i++)
		counts_take(counts_of_server(c, all->server[i]), all->server[i]);
}

void counts_page_transfer(struct counts_page *c, const struct xrd_transfer *t)
{
	const struct byte_counts all = byte_counts_of(t);
	if (!t->server)
		return;
	struct counted_server *s = counts_of_server(c, t->server);
	s->read += (uint64_t)byte_count_known(&all.read);
	s->read += (uint64_t)byte_count_known(&all.readv);
	s->written += (uint64_t)byte_count_known(&all.write);
}

static void counts_put_value(struct buf *b, uint64_t value)
{
	buf_addf(b, " %llu\n", (unsigned long long)value);
}

struct counts_total {
	const char *name, *help;
	enum metric_kind kind;
	uint64_t value;
	bool left_out;
};

static void counts_put_totals(struct buf *b, const struct counts_total *all, size_t n)
{
	for (const struct counts_total *t = all; t < all + n; t++) {
		if (t->left_out)
			continue;
		exposition_put_head(b, PREFIX, t->name, t->help, t->kind);
		exposition_put_name(b, PREFIX, t->name, t->kind);
		counts_put_value(b, t->value);
	}
}

/* Append counts of received, refused and dropped datagrams. */
static void counts_put_input(struct xrootd_program *p, struct buf *b)
{
	const struct xrd_join_counts *c = xrd_join_counts(p->join);
	bool no_port = p->in.n_ports == 0;
	bool not_counted = no_port || !datagrams_are_counted(&p->in);
	const struct counts_total all[] = {
		{ "datagrams", "Datagrams received.", COUNTER, c->datagrams, false },
		{ "bytes", "Bytes of these datagrams.", COUNTER, p->bytes, false },
		{ "damaged", "Datagrams that are damaged, or of no known kind.", COUNTER, c->bad,
		  false },
		{ "summaries", "Summary packets among the datagrams.", COUNTER, c->summary,
		  false },
		{ "unknown_records", "Records of no known kind.", COUNTER, c->unknown, false },
		{ "refused", "Datagrams from networks that --allow does not list.", COUNTER,
		  p->refused, !p->allow.n },
		{ "dropped", "Datagrams that the kernel dropped: no room in the socket's buffer.",
		  COUNTER, datagrams_lost(&p->in), not_counted },
		{ "queue_bytes", "Memory that datagrams in the sockets' buffers take.", GAUGE,
		  datagrams_waiting(&p->in), not_counted },
		{ "queue_limit_bytes", "Size of the smallest socket's buffer.", GAUGE,
		  datagrams_room(&p->in), no_port },
		{ "messages", "Lines read from standard input.", COUNTER, p->messages.n,
		  !p->take_messages },
		{ "bad_messages", "Lines that are not messages of the shoveler.", COUNTER,
		  p->messages.bad, !p->take_messages },
		{ "forwarded", "Datagrams sent on.", COUNTER, p->forward.sent,
		  p->forward.fd < 0 },
		{ "forward_failed", "Datagrams that could not be sent on.", COUNTER,
		  p->forward.failed, p->forward.fd < 0 },
	};
	counts_put_totals(b, all, ARRAY_SIZE(all));
}

/* Append the counts of accesses, and of the entries in memory. */
static void counts_put_accesses(struct xrootd_program *p, struct buf *b)
{
	const struct xrd_join_counts *c = xrd_join_counts(p->join);
	const struct xrd_servers *servers = xrd_join_servers(p->join);
	uint64_t open_files = 0;
	for (size_t i = 0; i < servers->n; i++)
		open_files += servers->server[i]->n_open;
	const struct counts_total all[] = {
		{ "accesses", "Accesses to files that have ended.", COUNTER, c->transfers,
		  false },
		{ "incomplete", "Accesses with something missing.", COUNTER, c->incomplete,
		  false },
		{ "unwritten", "Accesses not written, because their sender had its share.",
		  COUNTER, c->unwritten, false },
		{ "evicted", "Users and files evicted for lack of memory.", COUNTER, c->evicted,
		  false },
		{ "servers_evicted", "Servers evicted for lack of memory.", COUNTER,
		  servers->evicted, false },
		{ "servers", "Starts of servers that are known.", GAUGE, servers->n, false },
		{ "open_files", "Files that are open.", GAUGE, open_files, false },
		{ "state_timestamp_seconds", "When the newest saved state was made.", GAUGE,
		  (uint64_t)(p->keeper.saved_us / 1000000), !p->keeper.saved_us },
	};
	counts_put_totals(b, all, ARRAY_SIZE(all));
}

static void counts_put_output(struct buf *b, const char *name, enum metric_kind kind,
			      const struct xrootd_output *o, uint64_t value)
{
	exposition_put_name(b, PREFIX, name, kind);
	buf_add(b, STR("{output="));
	exposition_put_quoted(b, str_of(o->path ? o->path : "-"));
	buf_add_char(b, '}');
	counts_put_value(b, value);
}

static void counts_put_outputs(const struct xrootd_program *p, struct buf *b)
{
	exposition_put_head(b, PREFIX, "output_waiting_bytes",
			    "Bytes of lines that wait in memory for room on the disk.", GAUGE);
	for (size_t i = 0; i < TO_RAW; i++)
		if (p->to[i].on)
			counts_put_output(b, "output_waiting_bytes", GAUGE, &p->to[i],
					  p->to[i].text.n);
	exposition_put_head(b, PREFIX, "output_lost_lines",
			    "Lines dropped, because too many wait for room on the disk.", COUNTER);
	for (size_t i = 0; i < TO_RAW; i++)
		if (p->to[i].on)
			counts_put_output(b, "output_lost_lines", COUNTER, &p->to[i],
					  p->to[i].lost_ever);
}

static uint64_t counts_value(const struct counted_server *s, const struct server_series *of)
{
	switch (of->value) {
	case VALUE_COUNT:   return s->counts.n[of->count];
	case VALUE_READ:    return s->read;
	case VALUE_WRITTEN: return s->written;
	case VALUE_OPEN:    return s->open_files;
	default:            return (uint64_t)(s->last / 1000000);
	}
}

static void counts_put_servers(const struct counts_page *c, struct buf *b)
{
	for (const struct server_series *of = series; of < series + ARRAY_SIZE(series); of++) {
		exposition_put_head(b, PREFIX, of->name, of->help, of->kind);
		for (size_t i = 0; i < c->n; i++) {
			const struct counted_server *s = c->counted[i];
			exposition_put_name(b, PREFIX, of->name, of->kind);
			buf_add(b, STR("{server="));
			exposition_put_quoted(b, str_of(s->name));
			buf_add(b, STR(",address="));
			exposition_put_quoted(b, str_of(s->ip));
			buf_add_char(b, '}');
			counts_put_value(b, counts_value(s, of));
		}
	}
}

static void counts_make_page(void *arg, struct buf *to)
{
	struct counts_page *c = arg;
	int64_t now = monotonic_ns();
	if (!c->made_ns || now - c->made_ns >= PAGE_NS) {
		c->text.n = 0;
		counts_page_tick(c);
		counts_put_input(c->program, &c->text);
		counts_put_accesses(c->program, &c->text);
		counts_put_outputs(c->program, &c->text);
		counts_put_servers(c, &c->text);
		buf_add(&c->text, STR("# EOF\n"));
		c->made_ns = now;
	}
	buf_add(to, buf_str(&c->text));
}

const char *counts_page_check(const char *listen, bool plain)
{
	enum page_reach reach = page_reach_of(listen);
	return reach == PAGE_NO_ADDRESS ? "expected ADDRESS:PORT, such as 127.0.0.1:9931" :
	       reach == PAGE_OTHER_HOSTS && !plain ?
	       "other hosts can read the names of servers there, without TLS: add --plain to "
	       "allow that" : NULL;
}

struct counts_page *counts_page_open(struct xrootd_program *p, const char *listen, struct buf *why)
{
	struct counts_page *c = xrealloc(NULL, sizeof(*c));
	const struct page_maker maker = {
		"application/openmetrics-text; version=1.0.0; charset=utf-8", counts_make_page, c,
		.polled = true,
	};
	struct page_keys keys = { .plain = true };
	*c = (struct counts_page){ .program = p };
	str_copy(keys.listen, sizeof(keys.listen), str_of(listen));
	if (page_server_open(&keys, &maker, &c->server, why) == 0)
		return c;
	counts_page_close(c);
	return NULL;
}

int counts_page_fd(const struct counts_page *c)
{
	return c ? page_server_fd(c->server) : -1;
}

void counts_page_run(struct counts_page *c)
{
	page_server_run(c->server);
}

void counts_page_close(struct counts_page *c)
{
	if (!c)
		return;
	page_server_close(c->server);
	for (size_t i = 0; i < c->n; i++)
		free(c->counted[i]);
	free(c->counted);
	map_free(&c->by_name);
	buf_free(&c->text);
	free(c);
}
