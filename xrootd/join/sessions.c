/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions.c - count the accesses of each login, from the login to the disconnect */
#include "xrootd/join/sessions.h"

#include <stdlib.h>
#include "xrootd/join/byte_counts.h"

/*
 * how long to wait for an f-stream before assuming that the server sends none, in microseconds: by
 * default, servers flush the f-stream every 10 minutes or more often
 */
#define NO_F_AFTER ((int64_t)900 * 1000000)

struct xrd_session *session_restore(struct xrd_join *j, struct xrd_client *c)
{
	if (c->session)
		return c->session;
	c->session = xrealloc(NULL, sizeof(*c->session));
	*c->session = (struct xrd_session){ .read_is_exact = true, .write_is_exact = true };
	xrd_table_grow(&j->table, &c->entry, sizeof(*c->session));
	return c->session;
}

void session_begin(struct xrd_join *j, struct xrd_client *c)
{
	if (!j->to.session || c->session || c->entry.has_ended)
		return;
	session_restore(j, c)->login_us = j->now;
	if (!j->server->first_login)
		j->server->first_login = j->now;
}

static void session_free(struct xrd_join *j, struct xrd_client *c)
{
	if (!c->session)
		return;
	xrd_table_shrink(&j->table, &c->entry, sizeof(*c->session));
	free(c->session);
	c->session = NULL;
}

static void session_add_bytes(int64_t *sum, bool *is_exact, const struct byte_count *n)
{
	*is_exact &= n->is == BYTES_EXACT;
	*sum = bytes_plus(*sum, byte_count_known(n));
}

void session_add(struct xrd_join *j, const struct xrd_transfer *t)
{
	struct xrd_session *s = t->client && j->to.session ? t->client->session : NULL;
	if (!s)
		return;
	const struct byte_counts all = byte_counts_of(t);
	s->accesses++;
	s->incomplete += xrd_missing(t) != 0;
	session_add_bytes(&s->read, &s->read_is_exact, &all.read);
	session_add_bytes(&s->readv, &s->read_is_exact, &all.readv);
	session_add_bytes(&s->write, &s->write_is_exact, &all.write);
}

static void session_report(struct xrd_join *j, struct xrd_client *c, enum xrd_end why)
{
	const struct xrd_session_end end = {
		.server = xrd_server_numbered(&j->servers, c->entry.server), .client = c,
		.session = c->session, .why = why,
	};
	if (c->session && j->to.session)
		j->to.session(j->to.arg, &end);
	session_free(j, c);
}

void session_settle(struct xrd_join *j, struct xrd_client *c)
{
	if (!c || !c->session || !c->session->ended)
		return;
	for (const struct xrd_file *f = c->files; f; f = f->next)
		if (f->waiting || join_is_open(f))
			return;
	session_report(j, c, XRD_END_DISCONNECT);
}

void session_end(struct xrd_join *j, struct xrd_client *c, const struct xrd_packet *p)
{
	if (!c->session)
		return;
	c->session->ended = true;
	c->session->end_window[0] = p->begin;
	c->session->end_window[1] = p->end;
	session_settle(j, c);
}

void session_end_t(struct xrd_join *j, const struct xrd_record *r)
{
	struct xrd_client *c = r->id ? join_find(j, CLIENT, r->id) : NULL;
	if (!c || !c->session)
		return;
	c->session->has_seconds = true;
	c->session->seconds = r->seconds;
	c->session->forced = r->flags & XRD_FORCED;
	c->session->ended |= !j->server->has_f && j->server->first_login &&
			     j->now - j->server->first_login > NO_F_AFTER;
	session_settle(j, c);
}

void session_forget(struct xrd_join *j, struct xrd_client *c, enum xrd_end why)
{
	if (c->session)
		session_report(j, c, c->session->ended || c->session->has_seconds ?
				     XRD_END_DISCONNECT : why);
}
