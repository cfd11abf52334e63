/* SPDX-License-Identifier: BSD-3-Clause */
/* flows.c - find the TCP connection (flow) that an access used, from fireflies of SciTags */
#include "xrootd/join/flows.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "xrootd/join/byte_counts.h"

#define SECOND_US INT64_C(1000000)

static bool flow_same_address(const struct in6_addr *a, const struct in6_addr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Check if two flows are the same connection. Compare the start, too, because ports are reused. */
static bool flow_is_same(const struct firefly *a, const struct firefly *b)
{
	return a->src_port == b->src_port && a->dst_port == b->dst_port && a->start == b->start &&
	       flow_same_address(&a->src, &b->src) && flow_same_address(&a->dst, &b->dst);
}

static struct xrd_flow *flows_add(struct flows *all, const struct firefly *f)
{
	for (size_t i = 0; i < all->n; i++)
		if (flow_is_same(&all->of[i].firefly, f))
			return &all->of[i];
	if (!all->of)
		all->of = xrealloc(NULL, FLOWS_MAX * sizeof(*all->of));
	struct xrd_flow *to = &all->of[all->next];
	all->next = (all->next + 1) % FLOWS_MAX;
	all->n += all->n < FLOWS_MAX;
	to->name[0] = '\0';
	to->firefly.state = FIREFLY_START;
	return to;
}

struct xrd_flow *flows_note(struct flows *all, const struct in6_addr *from, struct str datagram)
{
	struct firefly f;
	all->seen++;
	if (firefly_read(datagram, &f) < 0) {
		all->bad++;
		return NULL;
	}
	struct xrd_flow *to = flows_add(all, &f);
	bool late = to->firefly.state == FIREFLY_END && f.state != FIREFLY_END;
	if (late && flow_is_same(&to->firefly, &f))
		return to;
	to->firefly = f;
	to->from = *from;
	return to;
}

static bool flow_is_of_client(const struct xrd_flow *f, struct str host)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr a;
	if (!str_take_prefix(&host, STR("[")) || !str_ends(host, STR("]")))
		return f->name[0] && str_eq(host, str_of(f->name));
	host.n--;
	return str_copy(text, sizeof(text), host) && inet_pton(AF_INET6, text, &a) == 1 &&
	       flow_same_address(&a, &f->firefly.dst);
}

/* Check if the flow is a connection to the server, by the server's address or name and its port. */
static bool flow_is_of_server(const struct xrd_flow *f, const struct xrd_server *s)
{
	struct str port = str_of(s->port);
	uint64_t n;
	if (str_take_u64(&port, &n) && n && n != f->firefly.src_port)
		return false;
	return flow_same_address(&f->from, &s->source.address) ||
	       flow_same_address(&f->firefly.src, &s->source.address) ||
	       (s->known && f->firefly.host[0] && strcmp(f->firefly.host, s->host) == 0);
}

/*
 * Check that the flow existed from the open of the file to its close, as far as these times are
 * known.
 */
static bool flow_covers_file(const struct firefly *f, const struct xrd_file *file)
{
	if (file->opened && f->start > ((int64_t)file->open_window[1] + 1) * SECOND_US)
		return false;
	return !file->close || !f->end ||
	       f->end >= ((int64_t)file->close->window[0] - 1) * SECOND_US;
}

/*
 * Check that the flow does not contradict the access: its program, if known, is the same, and it
 * moved at least the bytes of the access.
 */
static bool flow_fits_access(const struct firefly *f, const struct xrd_file *file,
			     struct str program)
{
	if (program.n && f->application[0] && !str_eq(program, str_of(f->application)))
		return false;
	const struct xrd_record *c = file->close ? &file->close->record : NULL;
	if (!c || !f->has_usage || f->state != FIREFLY_END)
		return true;
	return (int64_t)f->sent >= bytes_plus(c->read, c->readv) &&
	       (int64_t)f->received >= c->write;
}

/* Find the flows that match an access. If program is NULL, do not call flow_fits_access(). */
static struct flow_match flows_find(const struct flows *all, const struct xrd_transfer *t,
				    const struct xrd_who *w, const struct str *program)
{
	struct flow_match m = { NULL, 0 };
	for (size_t i = 0; i < all->n; i++) {
		const struct xrd_flow *f = &all->of[i];
		if (!flow_covers_file(&f->firefly, t->file) || !flow_is_of_server(f, t->server) ||
		    !flow_is_of_client(f, w->user.host) ||
		    (program && !flow_fits_access(&f->firefly, t->file, *program)))
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
	struct flow_match m = flows_find(all, t, w, NULL);
	if (m.n > 1) {
		const struct str program = xrd_pair(w->auth, STR("x"));
		m.flow = flows_find(all, t, w, &program).flow;
	}
	return m;
}

void flows_free(struct flows *all)
{
	free(all->of);
}
