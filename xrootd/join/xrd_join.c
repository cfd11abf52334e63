/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_join.c - apply each record to the users and files that it is about */
#include "xrootd/join/xrd_join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "formats/xrootd/xrd_gline.h"
#include "xrootd/join/sessions.h"
#include "xrootd/join/xrd_state.h"

#define HELD_BYTES_MAX (16u << 20)
#define MARKER_LOOK    64	/* how many entries after a marker are searched for its user */

static void join_note_login(struct xrd_join *j, uint32_t id, struct str text)
{
	struct xrd_client *c = join_client_of(j, id);
	struct str userid, info;
	if (!c)
		return;
	xrd_map_split(text, &userid, &info);
	c->known = true;
	session_begin(j, c);
	if (j->to.login)
		j->to.login(j->to.arg, userid);
	join_set_login(j, c, text);
	uint64_t login = join_login_id(userid);
	struct xrd_login *l = join_find(j, LOGIN, login);
	if (!l)
		l = join_add_entry(j, LOGIN, login, sizeof(*l));
	l->client = id;
	for (struct xrd_file *f = c->files, *next; f; f = next) {
		next = f->next;
		if (f->waiting)
			join_settle(j, f);
	}
}

static void join_open_by(struct xrd_join *j, struct xrd_file *f, struct xrd_client *c)
{
	join_client(j, f, c);
	facts_stamp(f);
}

static void join_set_fact(struct xrd_join *j, struct xrd_client *c, enum fact_kind kind,
			  uint32_t id, struct str text)
{
	if (c && facts_set(&j->table, c, kind, id, text))
		c->texts = ++j->texts;
}

/*
 * paths of this length (in bytes) or longer may be cut; servers cut f records sooner than d records
 */
#define LONG_PATH 1000

static bool join_may_have_path(const struct xrd_file *f, struct str path)
{
	struct str of = str_of(f->path ? f->path : "");
	bool is_cut = of.n >= LONG_PATH && path.n >= LONG_PATH;
	return !of.n || str_eq(of, path) ||
	       (is_cut && (str_starts(of, path) || str_starts(path, of)));
}

static void join_note_path(struct xrd_join *j, uint32_t id, struct str text)
{
	struct xrd_file *f = join_file_of(j, id);
	struct str userid, path;
	xrd_map_split(text, &userid, &path);
	if (f->opened && !join_may_have_path(f, path))
		f = join_replace_file(j, f);
	join_set_userid(j, f, userid);
	if (!f->path)
		join_set_text(j, &f->entry, &f->path, path);
	if (f->waiting)
		join_settle(j, f);
}

/* Set the text of a U or T record, which has the client's number ("Uc"). */
static void join_note_pairs(struct xrd_join *j, enum fact_kind kind, const struct xrd_record *r)
{
	struct str userid, info, uc;
	uint64_t client;
	xrd_map_split(r->text, &userid, &info);
	uc = xrd_pair(info, STR("Uc"));
	if (!str_take_u64(&uc, &client) || client > UINT32_MAX)
		return;
	join_set_fact(j, join_client_of(j, (uint32_t)client), kind, r->id, info);
}

static void join_note_info(struct xrd_join *j, const struct xrd_record *r)
{
	struct str userid, info;
	xrd_map_split(r->text, &userid, &info);
	join_set_fact(j, join_client_named(j, userid), FACT_INFO, r->id, info);
}

static void join_note_map(struct xrd_join *j, const struct xrd_packet *p,
			  const struct xrd_record *r)
{
	switch (p->code) {
	case '=':
		xrd_server_identify(j->server, r->text, p->form);
		join_end_earlier_starts(j, j->server);
		break;
	case 'u':
		join_note_login(j, r->id, r->text);
		break;
	case 'd':
		join_note_path(j, r->id, r->text);
		break;
	case 'i':
		join_note_info(j, r);
		break;
	case 'U':
	case 'T':
		join_note_pairs(j, p->code == 'T' ? FACT_TOKEN : FACT_FLOW, r);
		break;
	default:	/* records x and p are not about a user or file */
		break;
	}
}

/* Check if this open was already received, through another destination of the server. */
static bool join_is_same_open(const struct xrd_file *f, const struct xrd_packet *p,
			      const struct xrd_record *r)
{
	bool named = r->flags & XRD_HAS_LFN && f->path;
	return f->open_window[0] == p->begin && f->open_window[1] == p->end &&
	       f->size == r->size && (!named || str_eq(str_of(f->path), r->text));
}

static void join_note_open(struct xrd_join *j, const struct xrd_packet *p,
			   const struct xrd_record *r)
{
	struct xrd_file *f = join_file_of(j, r->id);
	if (f->opened && join_is_same_open(f, p, r))
		return;
	if (f->opened)
		f = join_replace_file(j, f);
	f->opened = true;
	j->server->n_open += !f->ended;
	f->size = r->size;
	f->for_write = r->flags & XRD_HAS_RW;
	f->lost_at_open = (uint32_t)j->server->seen.n[XRD_LOST];
	f->open_window[0] = p->begin;
	f->open_window[1] = p->end;
	if (r->flags & XRD_HAS_LFN) {
		join_set_text(j, &f->entry, &f->path, r->text);
		join_open_by(j, f, join_client_of(j, r->user));
	} else if (f->userid) {
		join_open_by(j, f, join_client_named(j, str_of(f->userid)));
	}
	if (f->ended)
		join_settle(j, f);
}

static void join_note_close(struct xrd_join *j, const struct xrd_packet *p,
			    const struct xrd_record *r)
{
	struct xrd_file *f = join_file_of(j, r->id);
	if (f->closed)
		return;
	if (f->entry.has_ended)
		return;
	if (join_is_open(f))
		join_end_file(j, f, XRD_END_CLOSE);
	join_close(j, f, p, r);
	struct xrd_transfer t = join_transfer_of(j, f);
	join_name_peer(j, f, peers_take(&j->peers, &j->servers, &t));
	if (!f->copied && j->server->copies)
		f->copied = peers_take_early(&j->peers, &t);
	join_settle(j, f);
}

static void join_note_disconnect(struct xrd_join *j, const struct xrd_packet *p, uint32_t id)
{
	struct xrd_client *c = id ? join_find(j, CLIENT, id) : NULL;
	if (!c)
		return;
	for (struct xrd_file *f = c->files, *next; f; f = next) {
		next = f->next;
		if (!join_is_open(f))
			continue;
		join_end_file(j, f, XRD_END_DISCONNECT);
		join_settle(j, f);
	}
	xrd_table_retire(&j->table, &c->entry, j->now);
	session_end(j, c, p);
}

/* Handle a progress report about an open file. */
static void join_note_progress(struct xrd_join *j, const struct xrd_packet *p,
			       const struct xrd_record *r)
{
	const uint32_t seen[2] = { p->begin, p->end };
	struct xrd_file *f = join_file_of(j, r->id);
	f->read = r->read;
	f->readv = r->readv;
	f->write = r->write;
	f->moved = true;
	if (!j->to.open || f->ended)
		return;
	struct xrd_transfer t = join_transfer_of(j, f);
	t.seen = seen;
	j->to.open(j->to.arg, &t);
}

static void join_note_f(struct xrd_join *j, const struct xrd_packet *p, const struct xrd_record *r)
{
	j->server->has_f = true;
	switch (r->kind) {
	case XRD_OPEN:
		join_note_open(j, p, r);
		break;
	case XRD_CLOSE:
		join_note_close(j, p, r);
		break;
	case XRD_XFR:
		join_note_progress(j, p, r);
		break;
	case XRD_DISC:
		join_note_disconnect(j, p, r->id);
		break;
	default:
		break;
	}
}

/*
 * Add a request to the counts of its file. If records of single reads follow for the segments of a
 * vector read (.unpacked), subtract these reads in advance.
 */
static void join_note_request(struct xrd_join *j, struct xrd_file *f, const struct xrd_record *r)
{
	int64_t n = r->length;
	j->server->requests = true;
	if (!f || f->entry.has_ended)
		return;
	if (r->kind == XRD_READV) {
		f->t_readv += n;
		f->t_read -= r->unpacked ? n : 0;
		f->t_readvs++;
		f->t_segments += r->segments;
		f->t_reads -= r->unpacked ? r->segments : 0;
	} else if (n < 0) {
		f->t_written -= n;
		f->t_writes++;
	} else {
		f->t_read += n;
		f->t_reads++;
	}
}

/*
 * Handle a record of the t-stream. Returns true if an open or close was reported before: with two
 * destinations, xrootd 5.5.3 sends them twice to the destination with the option "io".
 */
static bool join_note_t(struct xrd_join *j, const struct xrd_record *r)
{
	struct xrd_file *f = join_find(j, FILE_ENTRY, r->id);
	if (r->kind == XRD_IO || r->kind == XRD_READV)
		join_note_request(j, f, r);
	if (r->kind == XRD_DISC)
		session_end_t(j, r);
	if (!f || (r->kind != XRD_OPEN && r->kind != XRD_CLOSE))
		return false;
	bool repeated = r->kind == XRD_OPEN ? f->t_opened : f->t_closed;
	f->t_opened |= r->kind == XRD_OPEN;
	f->t_closed |= r->kind == XRD_CLOSE;
	return repeated;
}

/* Parse the JSON object of a g-stream line, unless this was done before, and find its client. */
static void join_read_line(struct xrd_join *j, struct xrd_event *e)
{
	char provider = e->packet->provider;
	if (e->object.n)
		return;
	j->object.n = j->who.n = 0;
	if (!xrd_g_put_object(&j->object, provider, e->record->text, &e->escaped)) {
		j->damaged |= xrd_g_sends_objects(provider);
		return;
	}
	e->object = buf_str(&j->object);
	if (!xrd_g_add_client(&j->who, provider, e->object))
		return;
	e->who = buf_str(&j->who);
	e->client = join_client_like(j, e->who);
}

static bool join_is_path(struct str a, struct str b)
{
	while (a.n > 1 && a.p[1] == '/')
		a = str_skip(a, 1);
	return str_eq(a, b);
}

/*
 * Store the size of a third-party copy by xroot in the file that it wrote. If this file is not
 * known yet, keep the size for a late open.
 */
static void join_note_xroot_copy(struct xrd_join *j, const struct xrd_event *e,
				 const struct xrd_g_tpc *copy)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	int64_t copied = copy->size ? (int64_t)copy->size : -1;
	bool early = true;
	if (!e->client || copy->failed || !xrd_g_add_side_path(&path, e->object, STR("Dst")))
		return;
	for (struct xrd_file *f = e->client->files, *next; f; f = next) {
		next = f->next;
		if (!f->for_write || !f->path || !join_is_path(str_of(f->path), buf_str(&path)))
			continue;
		f->copied = copied;
		early &= f->ended && !f->waiting;
		if (f->waiting)
			join_settle(j, f);
	}
	if (early)
		peers_note_early(&j->peers, &(struct early_copy){
			.server = j->server->number, .client = e->client->entry.id,
			.path = peer_path(buf_str(&path)), .copied = copied });
}

/*
 * Store the URL of the file that this server copied (of->url) in the waiting file at the other
 * server, or keep the URL until that file is closed.
 */
static void join_note_other_side(struct xrd_join *j, const struct copy_peer *of)
{
	for (struct xrd_file *f = j->first_waiting; f; f = f->later) {
		struct xrd_transfer t = join_transfer_of(j, f);
		if (!f->close || f->close->peer || !f->path ||
		    peer_path(str_of(f->path)) != of->path || !peer_is_client(j->server, &t))
			continue;
		join_name_peer(j, f, of->url);
		join_settle(j, f);
		return;
	}
	peers_note(&j->peers, of);
}

/*
 * Report a third-party copy by HTTP. The server that makes the copy reports no open and no close.
 */
static void join_note_http_copy(struct xrd_join *j, const struct xrd_event *e,
				const struct xrd_g_tpc *copy)
{
	struct buf our_url CLEANUP(buf_free) = { 0 }, url CLEANUP(buf_free) = { 0 };
	struct buf path CLEANUP(buf_free) = { 0 }, far CLEANUP(buf_free) = { 0 };
	struct buf who CLEANUP(buf_free) = { 0 };
	const struct str here = copy->push ? STR("Src") : STR("Dst");
	const struct str there = copy->push ? STR("Dst") : STR("Src");
	uint32_t at = copy->end ? copy->end : e->packet->end;
	if (!xrd_g_add_side(&our_url, e->object, here) || !xrd_g_add_side(&url, e->object, there) ||
	    !xrd_g_add_side_path(&path, e->object, here))
		return;
	buf_add_char(&url, '\0');
	buf_add_char(&path, '\0');
	buf_addf(&who, "http/%.*s%c", (int)e->who.n, e->who.p, '\0');
	const struct xrd_copy c = { { at, at }, copy->status, copy->push, url.p };
	const struct xrd_file f = {
		.entry = { .server = j->server->number, .holder = j->server->holder },
		.path = path.p, .userid = who.p, .copied = (int64_t)copy->size,
		.open_window = { copy->begin, copy->begin }, .opened = true,
		.for_write = !copy->push, .closed = true, .end = XRD_END_COPY,
	};
	struct xrd_transfer t = { .server = j->server, .file = &f, .client = e->client,
				  .copy = &c };
	join_report(j, &t);
	if (copy->failed || our_url.n >= XRD_PEER_URL ||
	    !xrd_g_add_side_path(&far, e->object, there))
		return;
	join_note_other_side(j, &(struct copy_peer){ j->server->number, peer_path(buf_str(&far)),
						     xstrdup(buf_str(&our_url)) });
}

/* Handle the report about a third-party copy that has ended. */
static void join_note_copy(struct xrd_join *j, const struct xrd_event *e)
{
	struct xrd_g_tpc copy;
	j->server->copies = true;
	if (!xrd_g_tpc(e->object, &copy) || copy.size > INT64_MAX)
		return;
	if (copy.http)
		join_note_http_copy(j, e, &copy);
	else
		join_note_xroot_copy(j, e, &copy);
}

static void join_note_g(struct xrd_join *j, struct xrd_event *e)
{
	j->server->cache |= e->packet->provider == 'C';
	join_read_line(j, e);
	if (e->packet->provider == 'P')
		join_note_copy(j, e);
}

/*
 * Find the user of an APPID marker: the user of the next entry in the datagram, because all entries
 * of a datagram are from one connection (XRootD's System Monitoring Reference, 3.6).
 */
static void join_infer_user(struct xrd_join *j, struct xrd_event *e)
{
	struct xrd_packet p = *e->packet;
	struct xrd_record r = { .id = 0 };
	for (unsigned n = 0; n < MARKER_LOOK && !r.id; n++)
		if (xrd_next(&p, &r) <= 0)
			return;
	if (!r.id)
		return;
	if (r.kind == XRD_DISC) {
		e->client = join_find(j, CLIENT, r.id);
		return;
	}
	e->next_file = join_find(j, FILE_ENTRY, r.id);
	if (e->next_file)
		e->client = join_transfer_of(j, e->next_file).client;
}

static void join_report_event(struct xrd_join *j, struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	if (!j->to.event)
		return;
	bool of_user = r->kind == XRD_DISC || r->kind == XRD_REDIRECT;
	if (r->kind == XRD_MAP)
		e->client = NULL;
	else if (r->kind == XRD_LINE)
		join_read_line(j, e);
	else if (r->kind == XRD_APPID)
		join_infer_user(j, e);
	else if (of_user)
		e->client = join_find(j, CLIENT, r->id);
	else
		e->file = join_find(j, FILE_ENTRY, r->id);
	if (e->file) {
		struct xrd_transfer t = join_transfer_of(j, e->file);
		e->client = t.client;
	}
	e->server = j->server;
	j->to.event(j->to.arg, e);
}

/*
 * Apply one record, and report it as an event. Closes, disconnects and progress are reported before
 * they are applied, because xrd_sums needs the file's earlier byte counts.
 */
static void join_note_record(struct xrd_join *j, struct xrd_event *e)
{
	const struct xrd_packet *p = e->packet;
	const struct xrd_record *r = e->record;
	bool first = p->code == 'f' && (r->kind == XRD_CLOSE || r->kind == XRD_DISC ||
					r->kind == XRD_XFR);
	j->server->seen.n[XRD_RECORDS]++;
	if (first)
		join_report_event(j, e);
	if (r->kind == XRD_UNKNOWN)
		j->counts.unknown++;
	else if (r->kind == XRD_MAP || p->code == '=')
		join_note_map(j, p, r);
	else if (p->code == 'f')
		join_note_f(j, p, r);
	else if (p->code == 't')
		e->repeated = join_note_t(j, r);
	else if (r->kind == XRD_LINE)
		join_note_g(j, e);
	if (!first)
		join_report_event(j, e);
}

static void join_deliver(void *arg, struct str datagram, int64_t arrived)
{
	struct xrd_join *j = arg;
	struct xrd_packet p;
	struct xrd_record r;
	struct xrd_times times;
	int n;
	/* an empty datagram stands for a copy of an earlier datagram */
	if (!datagram.n || xrd_open(datagram, &p) < 0)
		return;
	if (j->to.event)
		xrd_times_start(&times, &p, arrived);
	j->damaged = false;
	while ((n = xrd_next(&p, &r)) > 0) {
		if (j->to.event)
			xrd_times_next(&times, &p, &r);
		join_note_record(j, &(struct xrd_event){
			.packet = &p, .record = &r, .times = &times, .arrived = arrived });
	}
	j->damaged |= n < 0;
	j->counts.bad += j->damaged;
	j->server->seen.n[XRD_DAMAGED] += j->damaged;
	join_keep_within_memory(j);
}

static struct xrd_ordered join_order_target(struct xrd_join *j, struct xrd_server *s)
{
	return (struct xrd_ordered){
		.counts = &s->seen,
		.held_bytes = &j->servers.held_bytes, .held_bytes_max = HELD_BYTES_MAX,
		.deliver = join_deliver, .arg = j,
	};
}

static void join_expire_orders(struct xrd_join *j, int64_t now)
{
	for (size_t k = 0; k < j->servers.n; k++) {
		struct xrd_server *s = j->servers.server[k];
		const struct xrd_ordered to = join_order_target(j, s);
		j->server = s;
		xrd_server_expire(s, &to, now);
	}
	j->server = NULL;
}

void xrd_join_tick(struct xrd_join *j, int64_t now)
{
	j->now = now > j->now ? now : j->now;
	join_expire_orders(j, j->now);
	join_expire(j);
}

#define MERGED_AT_ONCE 64

/* Merge n servers into the first: move their users, files and counts, and forget the others. */
static void join_merge_servers(struct xrd_join *j, struct xrd_server *const s[], size_t n)
{
	const struct xrd_ages *age = j->servers.holders.of[s[0]->holder].age;
	for (size_t i = 0; i < n; i++) {
		struct xrd_counts unknown = { .n = { 0 } };
		struct xrd_ordered to = join_order_target(j, s[i]);
		to.counts = &unknown;
		j->server = s[i];
		xrd_server_restart_numbers(s[i], &to);
	}
	j->server = NULL;
	for (size_t gone = 0; gone < 2; gone++)
		for (struct xrd_entry *e = age[gone].oldest; e; e = e->newer)
			for (size_t i = 1; i < n; i++)
				if (e->server == s[i]->number)
					xrd_table_move(&j->table, e, s[0]->number);
	for (size_t i = 1; i < n; i++)
		xrd_server_absorb(&j->servers, s[0], s[i]);
}

/*
 * Merge the servers with this source address, port and start time: they are the same server, whose
 * f-stream has no server id (sid), and whose userids may have different sids (dCache's plug-in).
 */
static void join_doubt_sids(struct xrd_join *j, const struct xrd_source *from, uint32_t start)
{
	struct xrd_server *s[MERGED_AT_ONCE];
	size_t n;
	do {
		n = xrd_servers_of_socket(&j->servers, from, start, s, MERGED_AT_ONCE);
		if (!n)
			return;
		if (n > 1)
			join_merge_servers(j, s, n);
		s[0]->has_loose_sid = true;
	} while (n == MERGED_AT_ONCE);
}

void xrd_join_add(struct xrd_join *j, const struct xrd_source *from, struct str datagram,
		  int64_t now)
{
	struct xrd_packet p;
	bool is_new;
	int r = xrd_open(datagram, &p);

	j->counts.datagrams++;
	j->counts.bad += r == -EBADMSG;
	j->counts.summary += r == -ENOMSG;
	if (r < 0)
		return;
	if (now > j->now + XRD_TICK)
		xrd_join_tick(j, now);
	if (p.code == 'f' && !p.has_sid)
		join_doubt_sids(j, from, p.start);
	j->server = xrd_server_of(&j->servers, from, &p, j->now, &is_new);
	if (p.has_sid && !j->server->has_sure_sid)
		j->server->has_sure_sid = strchr("ftrg", p.code);
	if (p.has_sid)
		join_learn_sid(j, p.code, p.sid);
	else if (is_new)
		join_end_earlier_starts(j, j->server);
	holder_earn(&j->servers.holders.of[j->server->holder], datagram.n);
	const struct xrd_ordered to = join_order_target(j, j->server);
	bool counts = xrd_server_counts(j->server, &p);
	enum xrd_copy_of copy = counts || p.code != '=' ?
				xrd_server_knows(j->server, from->port, &p, datagram) : XRD_NEW;
	if (copy != XRD_NEW) {
		j->server->seen.n[XRD_DUPLICATE]++;
		datagram = STR("");
	}
	if (counts) {
		xrd_server_put(j->server, from->port, &p, copy, datagram, &to, j->now);
	} else {
		j->server->seen.n[XRD_RECEIVED]++;
		join_deliver(j, datagram, j->now);
	}
	j->server = NULL;
}

struct xrd_join *xrd_join_new(const struct xrd_listener *to, size_t memory)
{
	struct xrd_join *j = calloc(1, sizeof(*j));
	if (!j)
		abort();
	j->to = *to;
	j->memory = memory;
	holders_init(&j->servers.holders);
	j->table.holders = &j->servers.holders;
	return j;
}

/*
 * End all entries, the oldest first, so that files are reported in the order of their last records.
 */
void xrd_join_finish(struct xrd_join *j)
{
	join_expire_orders(j, INT64_MAX);
	for (size_t i = 0; i < j->servers.holders.n; i++) {
		const struct xrd_ages *age = j->servers.holders.of[i].age;
		for (struct xrd_entry *e = age[false].oldest, *next; e; e = next) {
			next = e->newer;
			if (e->kind == FILE_ENTRY)
				join_evict(j, e, XRD_END_STOP);
		}
		while (age[false].oldest)
			join_evict(j, age[false].oldest, XRD_END_STOP);
		while (age[true].oldest)
			join_evict(j, age[true].oldest, XRD_END_STOP);
	}
}

static void join_ignore(void *arg, struct str datagram, int64_t arrived)
{
	(void)arg;
	(void)datagram;
	(void)arrived;
}

void xrd_join_resume(struct xrd_join *j, bool written)
{
	for (size_t k = 0; k < j->servers.n; k++) {
		struct xrd_server *s = j->server = j->servers.server[k];
		struct xrd_ordered to = join_order_target(j, s);
		struct xrd_counts unknown = { .n = { 0 } };
		to.counts = &unknown;
		to.deliver = written ? join_ignore : to.deliver;
		xrd_server_restart_numbers(s, &to);
	}
	j->server = NULL;
	for (size_t i = 0; i < j->servers.holders.n; i++)
		for (struct xrd_entry *e = j->servers.holders.of[i].age[false].oldest; e;
		     e = e->newer)
			if (e->kind == FILE_ENTRY)
				((struct xrd_file *)e)->lost_at_open--;
}

void xrd_join_abandon(struct xrd_join *j)
{
	j->to = (struct xrd_listener){ .arg = NULL };
}

void xrd_join_hurry(struct xrd_join *j, int64_t ns)
{
	j->deadline_ns = monotonic_ns() + ns;
}

void xrd_join_free(struct xrd_join *j)
{
	xrd_join_finish(j);
	xrd_table_free(&j->table);
	xrd_servers_free(&j->servers);
	holders_free(&j->servers.holders);
	peers_free(&j->peers);
	buf_free(&j->object);
	buf_free(&j->who);
	free(j);
}

const struct xrd_join_counts *xrd_join_counts(const struct xrd_join *j)
{
	return &j->counts;
}

struct xrd_servers *xrd_join_servers(struct xrd_join *j)
{
	return &j->servers;
}
