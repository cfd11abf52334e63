/* SPDX-License-Identifier: BSD-3-Clause */
/* flows.c - TCP connections of which fireflies told, and which of them an access went through */
#include "tracers/xrootd/join/flows.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "tracers/xrootd/join/byte_counts.h"

#define SECOND INT64_C(1000000)

static bool same_address(const struct in6_addr *a, const struct in6_addr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Compares starts, too: ports come again. */
static bool is_same(const struct firefly *a, const struct firefly *b)
{
	return a->src_port == b->src_port && a->dst_port == b->dst_port && a->start == b->start &&
	       same_address(&a->src, &b->src) && same_address(&a->dst, &b->dst);
}

static struct flow *flow_of(struct flows *all, const struct firefly *f)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_same(&all->of[i].firefly, f))
			return &all->of[i];
	if (!all->of)
		all->of = xrealloc(NULL, FLOWS_MAX * sizeof(*all->of));
	struct flow *to = &all->of[all->next];
	all->next = (all->next + 1) % FLOWS_MAX;
	all->n += all->n < FLOWS_MAX;
	to->name[0] = '\0';
	to->firefly.state = FIREFLY_START;
	return to;
}

struct flow *flows_note(struct flows *all, const struct in6_addr *from, struct str datagram)
{
	struct firefly f;
	all->seen++;
	if (firefly_read(datagram, &f) < 0) {
		all->bad++;
		return NULL;
	}
	struct flow *to = flow_of(all, &f);
	bool late = to->firefly.state == FIREFLY_END && f.state != FIREFLY_END;
	if (late && is_same(&to->firefly, &f))
		return to;
	to->firefly = f;
	to->from = *from;
	return to;
}

static bool is_client(const struct flow *f, struct str host)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr a;
	if (!str_take_prefix(&host, STR("[")) || !str_ends(host, STR("]")))
		return f->name[0] && str_eq(host, str_of(f->name));
	host.n--;
	return str_copy(text, sizeof(text), host) && inet_pton(AF_INET6, text, &a) == 1 &&
	       same_address(&a, &f->firefly.dst);
}

/* The port is the one that clients know. */
static bool is_server(const struct flow *f, const struct xrd_server *s)
{
	struct str port = str_of(s->port);
	uint64_t n;
	if (str_take_u64(&port, &n) && n && n != f->firefly.src_port)
		return false;
	return same_address(&f->from, &s->source.address) ||
	       same_address(&f->firefly.src, &s->source.address) ||
	       (s->known && f->firefly.host[0] && strcmp(f->firefly.host, s->host) == 0);
}

/* The flow began before the file was opened, and ended after that was closed, if that is known. */
static bool is_then(const struct firefly *f, const struct xrd_file *file)
{
	if (file->opened && f->start > ((int64_t)file->open_window[1] + 1) * SECOND)
		return false;
	return !file->close || !f->end ||
	       f->end >= ((int64_t)file->close->window[0] - 1) * SECOND;
}

/* Of several, only one may be of the same program, and have moved at least what the access did. */
static bool fits(const struct firefly *f, const struct xrd_file *file, struct str program)
{
	if (program.n && f->application[0] && !str_eq(program, str_of(f->application)))
		return false;
	const struct xrd_record *c = file->close ? &file->close->record : NULL;
	if (!c || !f->has_usage || f->state != FIREFLY_END)
		return true;
	return (int64_t)f->sent >= bytes_plus(c->read, c->readv) &&
	       (int64_t)f->received >= c->write;
}

/* program NULL: also connections that only might fit. */
static struct flow_match match(const struct flows *all, const struct xrd_transfer *t,
			       const struct xrd_who *w, const struct str *program)
{
	struct flow_match m = { NULL, 0 };
	for (size_t i = 0; i < all->n; i++) {
		const struct flow *f = &all->of[i];
		if (!is_then(&f->firefly, t->file) || !is_server(f, t->server) ||
		    !is_client(f, w->user.host) ||
		    (program && !fits(&f->firefly, t->file, *program)))
			continue;
		m.flow = m.n ? NULL : f;
		m.n++;
	}
	return m;
}

struct flow_match flows_match(const struct flows *all, const struct xrd_transfer *t,
			      const struct xrd_who *w)
{
	if (!t->server || !w->user.host.n)
		return (struct flow_match){ NULL, 0 };
	struct flow_match m = match(all, t, w, NULL);
	if (m.n > 1) {
		const struct str program = xrd_pair(w->auth, STR("x"));
		m.flow = match(all, t, w, &program).flow;
	}
	return m;
}

void flows_free(struct flows *all)
{
	free(all->of);
}
