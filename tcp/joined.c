/* SPDX-License-Identifier: BSD-3-Clause */
/* joined.c - match XRootD file accesses to TCP connections by addresses and ports */
#include "tcp/joined.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/log.h"
#include "base/utf8.h"
#include "figures/units.h"
#include "formats/json_read.h"

static uint64_t joined_hash_ports(uint16_t a, uint16_t b)
{
	const uint16_t key[2] = { a < b ? a : b, a < b ? b : a };
	return map_hash((struct str){ (const char *)key, sizeof(key) });
}

static bool joined_read_text(struct str members, struct str name, char *to, size_t size)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	return json_add_text(&b, json_find(members, name)) && str_copy(to, size, buf_str(&b));
}

static bool joined_read_port(struct str members, struct str name, uint16_t *to)
{
	uint64_t v;
	if (!json_as_u64(json_find(members, name), &v) || v > UINT16_MAX)
		return false;
	*to = (uint16_t)v;
	return true;
}

static bool joined_read_flow(struct str flow, struct joined_access *a)
{
	struct str start = json_find(flow, STR("start")), end = json_find(flow, STR("end"));
	if (!str_take_time(&end, &a->to))
		a->to = INT64_MAX;
	return joined_read_text(flow, STR("src_ip"), a->src, sizeof(a->src)) &&
	       joined_read_text(flow, STR("dst_ip"), a->dst, sizeof(a->dst)) &&
	       joined_read_port(flow, STR("src_port"), &a->src_port) &&
	       joined_read_port(flow, STR("dst_port"), &a->dst_port) &&
	       str_take_time(&start, &a->from);
}

static void joined_add_line(struct joined *j, struct str line)
{
	struct joined_access a = { .from = 0 };
	struct str all, flow;
	if (!json_take_object(line, &all) ||
	    !json_take_object(json_find(all, STR("flow")), &flow) || !joined_read_flow(flow, &a) ||
	    j->n >= JOINED_MAX)
		return;
	buf_add(&a.line, line);
	map_add(&j->by_ports, joined_hash_ports(a.src_port, a.dst_port),
		(union map_value){ .n = j->n });
	j->p = vec_reserve(j->p, &j->cap, j->n + 1, sizeof(*j->p));
	j->p[j->n++] = a;
}

int joined_load(struct joined *j, const char *file, int fd)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	while (f && (n = getline(&line, &cap, f)) > 0)
		joined_add_line(j, str_trim((struct str){ line, (size_t)n }));
	int e = fd < 0 ? fd : !f || ferror(f) ? -errno : 0;
	if (e < 0)
		log_error("%s: %s", file, strerror(-e));
	free(line);
	if (f)
		fclose(f);
	return e;
}

void joined_free(struct joined *j)
{
	for (size_t i = 0; i < j->n; i++)
		buf_free(&j->p[i].line);
	free(j->p);
	map_free(&j->by_ports);
}

static void joined_format_endpoint(char *to, size_t size, const char *address, uint16_t port)
{
	snprintf(to, size, strchr(address, ':') ? "[%s]:%u" : "%s:%u", address, port);
}

/*
 * Return true if `name` is the name of this connection in a capture: "ADDRESS:PORT ADDRESS:PORT",
 * or "PORT.PORT" in a capture without addresses.
 */
static bool joined_is_named(const char *name, const char *a, uint16_t a_port, const char *b,
			    uint16_t b_port)
{
	char one[80], other[80], text[168];
	joined_format_endpoint(one, sizeof(one), a, a_port);
	joined_format_endpoint(other, sizeof(other), b, b_port);
	snprintf(text, sizeof(text), "%s %s", one, other);
	if (strcmp(name, text) == 0)
		return true;
	snprintf(text, sizeof(text), "%u.%u", a_port, b_port);
	return strcmp(name, text) == 0;
}

static bool joined_is_through(const struct joined_access *a, const struct tcp_connection *c,
			      const struct verdict_sums *s)
{
	if (!joined_is_named(c->name, a->src, a->src_port, a->dst, a->dst_port) &&
	    !joined_is_named(c->name, a->dst, a->dst_port, a->src, a->src_port))
		return false;
	return s->start <= a->to && s->start + s->usec >= a->from;
}

static const struct joined_access *joined_next(const struct joined *j,
					       const struct tcp_connection *c,
					       const struct verdict_sums *s, struct map_slot **at)
{
	uint64_t hash = joined_hash_ports(c->ports.local, c->ports.remote);
	while ((*at = map_next(&j->by_ports, hash, *at)))
		if (joined_is_through(&j->p[(*at)->value.n], c, s))
			return &j->p[(*at)->value.n];
	return NULL;
}

/* Return the bytes per second that the connection transferred during the flow, or 0 if unknown. */
static double joined_rate_of(const struct joined_access *a, struct str flow)
{
	uint64_t sent, received;
	if (a->to == INT64_MAX || a->to <= a->from ||
	    !json_as_u64(json_find(flow, STR("sent")), &sent) ||
	    !json_as_u64(json_find(flow, STR("received")), &received))
		return 0;
	return ((double)sent + (double)received) * 1e6 / (double)(a->to - a->from);
}

static void joined_copy_members(struct buf *b, struct str from, const char *const *names)
{
	for (; *names; names++) {
		struct str value = json_find(from, str_of(*names));
		if (value.n && !str_eq(value, STR("null")))
			json_raw(b, *names, value);
	}
}

static void joined_put_access(struct buf *b, const struct joined_access *a)
{
	static const char *const of_access[] = { "filename", "user", "vo", "host", "read", "readv",
						 "write", NULL };
	static const char *const of_flow[] = { "experiment_id", "activity_id", "application",
					       "start", "end", NULL };
	struct str all, flow;
	if (!json_take_object(buf_str(&a->line), &all) ||
	    !json_take_object(json_find(all, STR("flow")), &flow))
		return;
	double rate = joined_rate_of(a, flow);
	json_open(b, NULL, '{');
	joined_copy_members(b, all, of_access);
	joined_copy_members(b, flow, of_flow);
	if (rate > 0)
		json_double(b, "rate", rate);
	json_close(b, '}');
}

void joined_put_json(struct buf *b, const struct joined *j, const struct tcp_connection *c,
		     const struct verdict_sums *s)
{
	struct map_slot *at = NULL;
	const struct joined_access *a = joined_next(j, c, s, &at);
	if (!a)
		return;
	json_open(b, "transfers", '[');
	for (; a; a = joined_next(j, c, s, &at))
		joined_put_access(b, a);
	json_close(b, ']');
}

static struct str joined_text_of(struct buf *b, struct str members, struct str name)
{
	b->n = 0;
	if (!json_add_text(b, json_find(members, name)))
		return STR("?");
	utf8_make_printable(b->p, b->n);
	return buf_str(b);
}

void joined_put_text(struct buf *b, const struct joined *j, const struct tcp_connection *c,
		     const struct verdict_sums *s)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct map_slot *at = NULL;
	const struct joined_access *a;
	while ((a = joined_next(j, c, s, &at))) {
		struct str all, flow;
		if (!json_take_object(buf_str(&a->line), &all) ||
		    !json_take_object(json_find(all, STR("flow")), &flow))
			continue;
		double rate = joined_rate_of(a, flow);
		buf_addf(b, "    " STR_FMT, STR_ARG(joined_text_of(&text, all, STR("filename"))));
		buf_addf(b, " of " STR_FMT, STR_ARG(joined_text_of(&text, all, STR("user"))));
		buf_addf(b, ": experiment " STR_FMT ", activity " STR_FMT,
			 STR_ARG(json_find(flow, STR("experiment_id"))),
			 STR_ARG(json_find(flow, STR("activity_id"))));
		if (rate > 0)
			buf_addf(b, ", %s/s", text_value(UNIT_BYTES, rate).s);
		buf_add_char(b, '\n');
	}
}
