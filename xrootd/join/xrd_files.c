/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_files.c - lifetime of users and files, from their first record to their last */
#include "xrootd/join/sessions.h"
#include "xrootd/join/xrd_join.h"
#include "xrootd/join/xrd_state.h"

#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "xrootd/join/byte_counts.h"
#include "xrootd/join/xrd_put.h"

/* approximate length of an output line about an access, without its texts */
#define LINE_BYTES 1700
/*
 * how long ended entries are kept, in microseconds: longer than the t-stream's flush interval of
 * 600 s
 */
#define GONE_WAIT ((int64_t)900 * 1000000)

struct xrd_entry *join_restore_entry(struct xrd_join *j, int kind, uint64_t id, size_t size,
				     uint32_t server, uint16_t holder)
{
	struct xrd_entry *e = calloc(1, size);
	if (!e)
		abort();
	e->server = server;
	e->holder = holder;
	e->kind = (uint8_t)kind;
	e->id = id;
	e->bytes = (uint32_t)xrd_cost(size);
	e->touched = j->now;
	xrd_table_add(&j->table, e);
	return e;
}

void *join_add_entry(struct xrd_join *j, int kind, uint64_t id, size_t size)
{
	return join_restore_entry(j, kind, id, size, j->server->number, j->server->holder);
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

uint64_t join_login_id(struct str userid)
{
	struct xrd_user u;
	if (!xrd_user_split(userid, &u))
		return str_hash(userid);
	return str_hash(u.name) ^ str_hash(u.host) * 31 ^ str_hash(u.pid) * 961;
}

static struct xrd_client *join_client_of_login(struct xrd_join *j, struct str userid)
{
	const struct xrd_login *l = join_find(j, LOGIN, join_login_id(userid));
	struct xrd_client *c = l ? join_find(j, CLIENT, l->client) : NULL;
	return c && c->login ? c : NULL;
}

struct xrd_client *join_client_named(struct xrd_join *j, struct str userid)
{
	struct xrd_client *c = join_client_of_login(j, userid);
	return c && str_starts(str_of(c->login), userid) ? c : NULL;
}

struct xrd_client *join_client_like(struct xrd_join *j, struct str userid)
{
	struct xrd_client *c = join_client_of_login(j, userid);
	struct xrd_user u, of;
	struct str login, info;
	if (!c)
		return NULL;
	xrd_map_split(str_of(c->login), &login, &info);
	bool same = xrd_user_split(userid, &u) && xrd_user_split(login, &of) &&
		    str_eq(u.name, of.name) && str_eq(u.pid, of.pid) && str_eq(u.host, of.host);
	return same ? c : NULL;
}

struct str join_userid_of(const struct xrd_file *f)
{
	struct str userid = STR(""), info;
	if (f->userid)
		return str_of(f->userid);
	if (f->named)
		xrd_map_split(str_of(f->client->login), &userid, &info);
	return userid;
}

static void join_share_userid(struct xrd_join *j, struct xrd_file *f)
{
	struct str login, info;
	if (!f->userid || !f->client || !f->client->login)
		return;
	xrd_map_split(str_of(f->client->login), &login, &info);
	if (!str_eq(login, str_of(f->userid)))
		return;
	xrd_table_shrink(&j->table, &f->entry, strlen(f->userid) + 1);
	free(f->userid);
	f->userid = NULL;
}

static void join_unshare_userid(struct xrd_join *j, struct xrd_file *f)
{
	if (f->named && !f->userid)
		join_set_text(j, &f->entry, &f->userid, join_userid_of(f));
}

void join_set_userid(struct xrd_join *j, struct xrd_file *f, struct str userid)
{
	f->named = true;
	join_set_text(j, &f->entry, &f->userid, userid);
	join_share_userid(j, f);
}

void join_set_login(struct xrd_join *j, struct xrd_client *c, struct str login)
{
	for (struct xrd_file *f = c->files; f; f = f->next)
		join_unshare_userid(j, f);
	join_set_text(j, &c->entry, &c->login, login);
	c->texts = ++j->texts;
	for (struct xrd_file *f = c->files; f; f = f->next)
		join_share_userid(j, f);
	const struct xrd_who w = xrd_who_of(c, NULL);
	c->protocol = (uint8_t)xrd_who_protocol(&w);
	c->release = xrd_release(xrd_pair(w.auth, STR("R")));
}

static void join_leave_client(struct xrd_join *j, struct xrd_file *f)
{
	if (!f->client)
		return;
	join_unshare_userid(j, f);
	facts_release(f);
	if (f->client->files == f)
		f->client->files = f->next;
	else
		f->prev->next = f->next;
	if (f->next)
		f->next->prev = f->prev;
	f->client = NULL;
}

void join_client(struct xrd_join *j, struct xrd_file *f, struct xrd_client *c)
{
	join_leave_client(j, f);
	if (!c)
		return;
	f->client = c;
	f->prev = NULL;
	f->next = c->files;
	if (c->files)
		c->files->prev = f;
	c->files = f;
	facts_hold(f);
	join_share_userid(j, f);
}

static void join_free_client(struct xrd_join *j, struct xrd_client *c)
{
	while (c->files)
		join_leave_client(j, c->files);
	xrd_table_remove(&j->table, &c->entry);
	free(c->login);
	free(c->session);
	facts_free(c);
	free(c);
}

struct xrd_file *join_file_of(struct xrd_join *j, uint32_t id)
{
	struct xrd_file *f = join_find(j, FILE_ENTRY, id);
	if (!f)
		return join_add_entry(j, FILE_ENTRY, id, sizeof(*f));
	if (!f->entry.has_ended)
		xrd_table_touch(&j->table, &f->entry, j->now);
	if (f->client)
		xrd_table_touch(&j->table, &f->client->entry, j->now);
	return f;
}

static void join_stop_waiting(struct xrd_join *j, struct xrd_file *f)
{
	if (!f->waiting)
		return;
	*(f->earlier ? &f->earlier->later : &j->first_waiting) = f->later;
	*(f->later ? &f->later->earlier : &j->last_waiting) = f->earlier;
	f->waiting = false;
}

void join_name_peer(struct xrd_join *j, struct xrd_file *f, char *url)
{
	char **peer = &f->close->peer;
	if (*peer)
		xrd_table_shrink(&j->table, &f->entry, strlen(*peer) + 1);
	free(*peer);
	*peer = url;
	if (url)
		xrd_table_grow(&j->table, &f->entry, strlen(url) + 1);
}

static void join_free_close(struct xrd_join *j, struct xrd_file *f)
{
	if (!f->close)
		return;
	join_name_peer(j, f, NULL);
	xrd_table_shrink(&j->table, &f->entry, sizeof(*f->close));
	free(f->close);
	f->close = NULL;
}

void join_close(struct xrd_join *j, struct xrd_file *f, const struct xrd_packet *p,
		const struct xrd_record *r)
{
	join_free_close(j, f);
	f->closed = f->ended = true;
	f->end = XRD_END_CLOSE;
	f->close = xrealloc(NULL, sizeof(*f->close));
	*f->close = (struct xrd_close){ *r, { p->begin, p->end }, NULL };
	xrd_table_grow(&j->table, &f->entry, sizeof(*f->close));
}

static void join_free_file(struct xrd_join *j, struct xrd_file *f)
{
	join_stop_waiting(j, f);
	f->named = false;
	join_leave_client(j, f);
	join_free_close(j, f);
	xrd_table_remove(&j->table, &f->entry);
	free(f->path);
	free(f->userid);
	free(f);
}

static struct xrd_server *join_server_of(const struct xrd_join *j, const struct xrd_file *f)
{
	if (j->server && j->server->number == f->entry.server)
		return j->server;
	return xrd_server_numbered(&j->servers, f->entry.server);
}

/*
 * Describe a file for a report. If the open named no user, find the client by the userid in the d
 * record.
 */
struct xrd_transfer join_transfer_of(struct xrd_join *j, const struct xrd_file *f)
{
	struct xrd_server *s = join_server_of(j, f);
	struct xrd_transfer t = { .server = s, .file = f, .client = f->client };
	if (!t.client && f->userid && s) {
		struct xrd_server *before = j->server;
		j->server = s;
		t.client = join_client_named(j, str_of(f->userid));
		j->server = before;
	}
	return t;
}

/*
 * Check if no line may be written about the access: lines about a sender's evicted files are
 * limited to the bytes that it sent, and a stop has a deadline.
 */
static bool join_exceeds_limit(struct xrd_join *j, const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	struct holder *h = &j->servers.holders.of[f->entry.holder];
	const struct xrd_facts *facts = t->client ? t->client->facts : NULL;
	/*
	 * the line shows only one version of the client's info (see facts.h): divide the client's
	 * memory by the number of versions
	 */
	size_t sets = facts ? facts->n : 1;
	size_t client = t->client ? t->client->entry.bytes / sets : 0;
	size_t line = LINE_BYTES + f->entry.bytes + client;
	if (f->end == XRD_END_EVICTED && !holder_spend(h, line))
		return true;
	return f->end == XRD_END_STOP && j->deadline_ns && monotonic_ns() > j->deadline_ns;
}

void join_report(struct xrd_join *j, struct xrd_transfer *t)
{
	t->unwritten = join_exceeds_limit(j, t);
	j->counts.unwritten += t->unwritten;
	j->counts.transfers++;
	bool incomplete = xrd_missing(t) != 0;
	j->counts.incomplete += incomplete;
	if (t->server)
		t->server->seen.n[incomplete ? XRD_INCOMPLETE : XRD_JOINED]++;
	session_add(j, t);
	if (j->to.transfer)
		j->to.transfer(j->to.arg, t);
}

static void join_emit(struct xrd_join *j, struct xrd_file *f, struct xrd_transfer *t)
{
	struct xrd_client *c = (struct xrd_client *)t->client;
	join_report(j, t);
	if (!j->to.event || !f->named) {
		join_free_file(j, f);
		session_settle(j, c);
		return;
	}
	/* keep the entry, because the t-stream may have more records of the file */
	join_stop_waiting(j, f);
	join_leave_client(j, f);
	join_free_close(j, f);
	xrd_table_retire(&j->table, &f->entry, j->now);
	session_settle(j, c);
}

void join_wait(struct xrd_join *j, struct xrd_file *f)
{
	struct xrd_file *before = j->last_waiting;
	while (before && before->due > f->due)
		before = before->earlier;
	f->waiting = true;
	f->earlier = before;
	f->later = before ? before->later : j->first_waiting;
	*(before ? &before->later : &j->first_waiting) = f;
	*(f->later ? &f->later->earlier : &j->last_waiting) = f;
}

void join_settle(struct xrd_join *j, struct xrd_file *f)
{
	struct xrd_transfer t = join_transfer_of(j, f);
	bool copied = byte_counts_may_be_copied(&t) || peers_may_come(&j->servers, &t);
	if (xrd_missing(&t) == 0 && !copied && !byte_counts_may_improve(&t)) {
		join_emit(j, f, &t);
		return;
	}
	int64_t due = j->now + (copied ? XRD_COPY_WAIT : XRD_WAIT);
	if (f->waiting && f->due <= due)
		return;
	join_stop_waiting(j, f);
	f->due = due;
	join_wait(j, f);
}

void join_end_file(struct xrd_join *j, struct xrd_file *f, enum xrd_end why)
{
	struct xrd_server *s = join_server_of(j, f);
	if (s && s->n_open && f->opened)
		s->n_open--;
	f->ended = true;
	f->end = (uint8_t)why;
}

struct xrd_file *join_replace_file(struct xrd_join *j, struct xrd_file *f)
{
	uint64_t id = f->entry.id;
	if (join_is_open(f))
		join_end_file(j, f, XRD_END_REOPEN);
	if (!f->entry.has_ended) {
		struct xrd_transfer t = join_transfer_of(j, f);
		join_report(j, &t);
	}
	join_free_file(j, f);
	return join_add_entry(j, FILE_ENTRY, id, sizeof(*f));
}

void join_remove_file(struct xrd_join *j, struct xrd_file *f)
{
	if (join_is_open(f))
		join_end_file(j, f, XRD_END_STOP);
	join_free_file(j, f);
}

void join_evict(struct xrd_join *j, struct xrd_entry *e, enum xrd_end why)
{
	struct xrd_file *f = (struct xrd_file *)e;
	if (e->kind == CLIENT) {
		session_forget(j, (struct xrd_client *)e, why);
		join_free_client(j, (struct xrd_client *)e);
	} else if (e->kind == LOGIN) {
		xrd_table_remove(&j->table, e);
		free(e);
	} else if (join_is_open(f) || f->waiting) {
		if (join_is_open(f))
			join_end_file(j, f, why);
		struct xrd_transfer t = join_transfer_of(j, f);
		join_emit(j, f, &t);
	} else {
		join_free_file(j, f);
	}
}

/* Report files that have waited long enough, and evict entries that were not used for long. */
void join_expire(struct xrd_join *j)
{
	struct xrd_entry *e;
	while (j->first_waiting && j->first_waiting->due <= j->now) {
		struct xrd_transfer t = join_transfer_of(j, j->first_waiting);
		join_emit(j, j->first_waiting, &t);
	}
	for (size_t i = 0; i < j->servers.holders.n; i++) {
		const struct xrd_ages *age = j->servers.holders.of[i].age;
		while ((e = age[true].oldest) && e->touched < j->now - GONE_WAIT)
			join_evict(j, e, XRD_END_IDLE);
		while ((e = age[false].oldest) && e->touched < j->now - XRD_IDLE)
			join_evict(j, e, XRD_END_IDLE);
	}
}

/* Get the sender's next entry to evict, or NULL. */
static struct xrd_entry *join_next_victim(const struct holder *h)
{
	return h->age[true].oldest ? h->age[true].oldest : h->age[false].oldest;
}

/* Count an evicted entry for its server. Cache the server for the next evicted entry. */
static void join_count_evicted(struct xrd_join *j, const struct xrd_entry *e)
{
	struct xrd_server *s = j->evicted_of;
	if (!s || s->number != e->server)
		s = j->evicted_of = xrd_server_numbered(&j->servers, e->server);
	if (s)
		s->seen.n[XRD_FORGOTTEN]++;
	j->counts.evicted++;
}

void join_keep_within_memory(struct xrd_join *j)
{
	/* evict more than needed, so that the next datagram does not evict again */
	const size_t enough = j->memory - j->memory / 64;
	struct xrd_entry *e;
	bool over = j->table.bytes > j->memory;
	j->evicted_of = NULL;
	while (over) {
		struct holder *h = holders_with_most_bytes(&j->servers.holders);
		over = join_next_victim(h) != NULL;
		for (int i = 0; i < 64 && j->table.bytes > enough &&
		     (e = join_next_victim(h)); i++) {
			if (!e->has_ended)
				join_count_evicted(j, e);
			join_evict(j, e, XRD_END_EVICTED);
		}
		over = over && j->table.bytes > enough;
	}
}

/* End all open files of a server. */
static void join_end_files(struct xrd_join *j, struct xrd_server *s, enum xrd_end why)
{
	const struct xrd_ages *age = j->servers.holders.of[s->holder].age;
	struct xrd_entry *e = s->n_open ? age[false].oldest : NULL;
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

void join_end_earlier_starts(struct xrd_join *j, const struct xrd_server *now)
{
	for (size_t k = 0; k < j->servers.n; k++) {
		struct xrd_server *s = j->servers.server[k];
		if (s->n_open && xrd_server_is_restart(s, now))
			join_end_files(j, s, XRD_END_RESTART);
	}
}

void join_learn_sid(struct xrd_join *j, char code, uint64_t sid)
{
	bool replace = code == '=' && j->server->has_loose_sid && j->server->sid != sid;
	if (j->server->has_sid && !replace)
		return;
	j->server->has_sid = true;
	j->server->sid = sid;
	join_end_earlier_starts(j, j->server);
}
