/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_files.c - users and files that are known, from their first record to their last */
#include "tracers/xrd_state.h"

#include <stdlib.h>
#include <string.h>

#define GONE_WAIT ((int64_t)900 * 1000000)	/* the t-stream is flushed every 600 s */

void *join_add_entry(struct xrd_join *j, int kind, uint64_t id, size_t size)
{
	struct xrd_entry *e = calloc(1, size);
	if (!e)
		abort();
	e->server = j->server->number;
	e->kind = (uint8_t)kind;
	e->id = id;
	e->bytes = (uint32_t)xrd_cost(size);
	e->touched = j->now;
	xrd_table_add(&j->table, e);
	return e;
}

void *join_find(struct xrd_join *j, int kind, uint64_t id)
{
	return xrd_table_find(&j->table, j->server->number, kind, id);
}

void join_set_text(struct xrd_join *j, struct xrd_entry *e, char **to, struct str s)
{
	if (*to)
		xrd_table_shrink(&j->table, e, strlen(*to) + 1);
	free(*to);
	*to = xstrdup(s);
	xrd_table_grow(&j->table, e, strlen(*to) + 1);
}

struct xrd_client *join_client_of(struct xrd_join *j, uint32_t id)
{
	struct xrd_client *c = id ? join_find(j, CLIENT, id) : NULL;
	if (!c && id)
		c = join_add_entry(j, CLIENT, id, sizeof(*c));
	if (c)
		xrd_table_touch(&j->table, &c->entry, j->now);
	return c;
}

struct xrd_client *join_client_named(struct xrd_join *j, struct str userid)
{
	const struct login *l = join_find(j, LOGIN, str_hash(userid));
	struct xrd_client *c = l ? join_find(j, CLIENT, l->client) : NULL;
	if (!c || !c->login || !str_starts(str_of(c->login), userid))
		return NULL;
	return c;
}

static void leave_client(struct xrd_file *f)
{
	if (!f->client)
		return;
	if (f->client->files == f)
		f->client->files = f->next;
	else
		f->prev->next = f->next;
	if (f->next)
		f->next->prev = f->prev;
	f->client = NULL;
}

void join_client(struct xrd_file *f, struct xrd_client *c)
{
	leave_client(f);
	if (!c)
		return;
	f->client = c;
	f->prev = NULL;
	f->next = c->files;
	if (c->files)
		c->files->prev = f;
	c->files = f;
}

static void free_client(struct xrd_join *j, struct xrd_client *c)
{
	while (c->files)
		leave_client(c->files);
	xrd_table_remove(&j->table, &c->entry);
	free(c->login);
	free(c->info);
	free(c->flow);
	free(c->token);
	free(c);
}

struct xrd_file *join_file_of(struct xrd_join *j, uint32_t id)
{
	struct xrd_file *f = join_find(j, FILE_ENTRY, id);
	if (!f)
		return join_add_entry(j, FILE_ENTRY, id, sizeof(*f));
	if (!f->entry.gone)
		xrd_table_touch(&j->table, &f->entry, j->now);
	if (f->client)
		xrd_table_touch(&j->table, &f->client->entry, j->now);
	return f;
}

static void stop_waiting(struct xrd_join *j, struct xrd_file *f)
{
	if (!f->waiting)
		return;
	*(f->earlier ? &f->earlier->later : &j->first_waiting) = f->later;
	*(f->later ? &f->later->earlier : &j->last_waiting) = f->earlier;
	f->waiting = false;
}

static void free_close(struct xrd_join *j, struct xrd_file *f)
{
	if (f->close)
		xrd_table_shrink(&j->table, &f->entry, sizeof(*f->close));
	free(f->close);
	f->close = NULL;
}

void join_close(struct xrd_join *j, struct xrd_file *f, const struct xrd_packet *p,
		const struct xrd_record *r)
{
	free_close(j, f);
	f->closed = f->ended = true;
	f->end = XRD_END_CLOSE;
	f->close = xrealloc(NULL, sizeof(*f->close));
	*f->close = (struct xrd_close){ *r, { p->begin, p->end } };
	xrd_table_grow(&j->table, &f->entry, sizeof(*f->close));
}

static void free_file(struct xrd_join *j, struct xrd_file *f)
{
	stop_waiting(j, f);
	leave_client(f);
	free_close(j, f);
	xrd_table_remove(&j->table, &f->entry);
	free(f->path);
	free(f->userid);
	free(f);
}

unsigned xrd_missing(const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	return (f->opened ? 0 : XRD_NO_OPEN) | (f->closed ? 0 : XRD_NO_CLOSE) |
	       (t->client && t->client->known ? 0 : XRD_NO_USER) |
	       (f->path && *f->path ? 0 : XRD_NO_PATH) |
	       (t->server && t->server->known ? 0 : XRD_NO_SERVER);
}

static struct xrd_server *server_of(const struct xrd_join *j, const struct xrd_file *f)
{
	if (j->server && j->server->number == f->entry.server)
		return j->server;
	return xrd_server_numbered(&j->servers, f->entry.server);
}

/* With an open that names no user, the path's record does, by the user's text. */
struct xrd_transfer join_transfer_of(struct xrd_join *j, const struct xrd_file *f)
{
	struct xrd_server *s = server_of(j, f);
	struct xrd_transfer t = { .server = s, .file = f, .client = f->client };
	if (!t.client && f->userid && s) {
		struct xrd_server *before = j->server;
		j->server = s;
		t.client = join_client_named(j, str_of(f->userid));
		j->server = before;
	}
	return t;
}

static void emit(struct xrd_join *j, struct xrd_file *f, const struct xrd_transfer *t)
{
	j->counts.transfers++;
	j->counts.incomplete += xrd_missing(t) != 0;
	if (j->to.transfer)
		j->to.transfer(j->to.arg, t);
	if (!j->to.event || !f->userid) {
		free_file(j, f);
		return;
	}
	stop_waiting(j, f);	/* the t-stream may have more of it */
	leave_client(f);
	free_close(j, f);
	xrd_table_retire(&j->table, &f->entry, j->now);
}

/* What is missing may be late: the file waits for it. */
void join_settle(struct xrd_join *j, struct xrd_file *f)
{
	struct xrd_transfer t = join_transfer_of(j, f);
	if (xrd_missing(&t) == 0) {
		emit(j, f, &t);
		return;
	}
	if (f->waiting)
		return;
	f->waiting = true;
	f->due = j->now + XRD_WAIT;
	f->later = NULL;
	f->earlier = j->last_waiting;
	*(j->last_waiting ? &j->last_waiting->later : &j->first_waiting) = f;
	j->last_waiting = f;
}

/* It was open; but for XRD_END_CLOSE, its end is not known. */
void join_end_file(struct xrd_join *j, struct xrd_file *f, enum xrd_end why)
{
	struct xrd_server *s = server_of(j, f);
	if (s && s->n_open && f->opened)
		s->n_open--;
	f->ended = true;
	f->end = (uint8_t)why;
}

bool join_is_open(const struct xrd_file *f)
{
	return f->opened && !f->ended;
}

void join_evict(struct xrd_join *j, struct xrd_entry *e, enum xrd_end why)
{
	struct xrd_file *f = (struct xrd_file *)e;
	if (e->kind == CLIENT) {
		free_client(j, (struct xrd_client *)e);
	} else if (e->kind == LOGIN) {
		xrd_table_remove(&j->table, e);
		free(e);
	} else if (join_is_open(f) || f->waiting) {
		if (join_is_open(f))
			join_end_file(j, f, why);
		struct xrd_transfer t = join_transfer_of(j, f);
		emit(j, f, &t);
	} else {
		free_file(j, f);
	}
}

/* Files that wait, and entries that nobody has asked for. */
void join_expire(struct xrd_join *j)
{
	struct xrd_entry *e;
	while (j->first_waiting && j->first_waiting->due <= j->now) {
		struct xrd_transfer t = join_transfer_of(j, j->first_waiting);
		emit(j, j->first_waiting, &t);
	}
	while ((e = j->table.age[true].oldest) && e->touched < j->now - GONE_WAIT)
		join_evict(j, e, XRD_END_IDLE);
	while ((e = j->table.age[false].oldest) && e->touched < j->now - XRD_IDLE)
		join_evict(j, e, XRD_END_IDLE);
}

void join_keep_within_memory(struct xrd_join *j)
{
	struct xrd_entry *e;
	while (j->table.bytes > j->memory && (e = xrd_table_victim(&j->table))) {
		j->counts.evicted += !e->gone;
		join_evict(j, e, XRD_END_EVICTED);
	}
}

/* Files that a server had open before it was started again. */
static void end_files_of(struct xrd_join *j, struct xrd_server *s, enum xrd_end why)
{
	struct xrd_entry *e = s->n_open ? j->table.age[false].oldest : NULL;
	for (struct xrd_entry *next; e; e = next) {
		next = e->newer;
		struct xrd_file *f = (struct xrd_file *)e;
		if (e->kind != FILE_ENTRY || e->server != s->number || !join_is_open(f))
			continue;
		join_end_file(j, f, why);
		join_settle(j, f);
	}
	s->n_open = 0;
}

/* The same socket or the same fingerprint, started earlier: that server is no more. */
void join_end_earlier_starts(struct xrd_join *j, const struct xrd_server *now)
{
	for (size_t k = 0; k < j->servers.n; k++) {
		struct xrd_server *s = j->servers.server[k];
		if (!s->n_open || s->start >= now->start ||
		    memcmp(&s->source.address, &now->source.address, sizeof(now->source.address)))
			continue;
		if (s->source.port == now->source.port ||
		    (s->has_sid && now->has_sid && s->sid == now->sid))
			end_files_of(j, s, XRD_END_RESTART);
	}
}

void join_learn_sid(struct xrd_join *j, uint64_t sid)
{
	if (j->server->has_sid)
		return;
	j->server->has_sid = true;
	j->server->sid = sid;
	join_end_earlier_starts(j, j->server);
}
