/* SPDX-License-Identifier: BSD-3-Clause */
/* fan_out.c - deliver transfers, events and datagrams to the outputs that want them */
#include <arpa/inet.h>
#include "base/clock.h"
#include "formats/xrootd/shoveler.h"
#include "xrootd/lines/osg.h"
#include "xrootd/lines/osg_events.h"
#include "xrootd/lines/osg_summary.h"
#include "xrootd/lines/session_line.h"
#include "xrootd/lines/xrd_transfer.h"
#include "xrootd/program.h"

/*
 * Look up the name of a host that is given by an address such as "[::ffff:192.0.2.1]". Returns ""
 * if the address has no known name, if `host` is already a name, or without --names.
 */
static struct str fan_out_host_name(struct xrootd_program *p, struct str host)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
	char text[INET6_ADDRSTRLEN];
	if (!p->names || !str_take_prefix(&host, STR("[")) || !str_ends(host, STR("]")))
		return STR("");
	host.n--;
	if (!str_copy(text, sizeof(text), host) || inet_pton(AF_INET6, text, &a.sin6_addr) != 1)
		return STR("");
	struct str name = sender_names_get(p->names, &a);
	return str_peek(name) == '[' ? STR("") : name;
}

void fan_out_login(void *arg, struct str userid)
{
	struct xrootd_program *p = arg;
	struct xrd_user u;
	if (xrd_user_split(userid, &u))
		(void)fan_out_host_name(p, u.host);
}

bool fan_out_has(const struct xrootd_program *p, enum output_kind kind)
{
	for (size_t i = 0; i < TO_RAW; i++)
		if (p->to[i].on && p->to[i].kind == kind)
			return true;
	return false;
}

bool fan_out_has_open(const struct xrootd_program *p)
{
	for (size_t i = 0; i < TO_RAW; i++)
		if (p->to[i].open)
			return true;
	return false;
}

/*
 * Check that no filter of this kind of output selects the line. Only such lines go to an output
 * with --rest.
 */
static bool fan_out_no_filter_takes(const struct xrootd_program *p, enum output_kind kind,
				    const struct line_about *about)
{
	for (size_t i = 0; i < TO_RAW; i++) {
		const struct xrootd_output *o = &p->to[i];
		if (o->on && o->kind == kind && line_filter_is_set(&o->filter) &&
		    line_filter_takes(&o->filter, about))
			return false;
	}
	return true;
}

static bool fan_out_output_takes(const struct xrootd_program *p, const struct xrootd_output *o,
				 enum output_kind kind,
				 const struct line_about *about)
{
	return o->on && o->kind == kind && line_filter_takes(&o->filter, about) &&
	       (!o->filter.rest || fan_out_no_filter_takes(p, kind, about));
}

static void fan_out_put_transfer(const struct xrootd_program *p, struct buf *text,
				 const struct xrd_transfer *t,
				 enum line_format format)
{
	if (format == FORMAT_OSG)
		osg_transfer_put(text, t);
	else if (format == FORMAT_WLCG)
		wlcg_transfer_put(text, t, realtime_us(), p->host);
	else
		xrd_transfer_put(text, t);
}

/* Finish the line that starts at `before`. If the buffer is full, write all lines at once. */
static void fan_out_finish_line(struct xrootd_program *p, struct xrootd_output *o, size_t before)
{
	output_keep(o, before);
	if (o->text.n >= OUT_BYTES)
		outputs_write(p);
}

/*
 * Store the TCP connection that a firefly reports. With --names, also store the client's name,
 * because the server may report the client by name.
 */
void fan_out_firefly(struct xrootd_program *p, const struct xrd_source *from, struct str datagram)
{
	char address[INET6_ADDRSTRLEN], host[INET6_ADDRSTRLEN + 2];
	struct xrd_flow *f = flows_note(&p->flows, &from->address, datagram);
	if (!f || !p->names || !inet_ntop(AF_INET6, &f->firefly.dst, address, sizeof(address)))
		return;
	snprintf(host, sizeof(host), "[%s]", address);
	struct str name = fan_out_host_name(p, str_of(host));
	if (name.n)
		str_copy(f->name, sizeof(f->name), name);
}

void fan_out_transfer(struct xrootd_program *p, const struct xrd_transfer *t)
{
	if (!fan_out_has(p, KIND_TRANSFERS))
		return;
	struct user_text *user = user_text_of(&p->users, t->client, t->file);
	const struct line_about about = {
		.vo = user->vo, .path = str_of(t->file->path ? t->file->path : ""),
	};
	struct xrd_transfer named = *t;
	named.client_name = fan_out_host_name(p, user->who.user.host);
	named.user_json = user_text_json(user, named.client_name);
	struct flow_match flow;
	if (p->flow_port) {
		flow = flows_match(&p->flows, t, &user->who);
		named.flow = &flow;
	}
	for (size_t i = 0; i < TO_RAW; i++) {
		struct xrootd_output *o = &p->to[i];
		size_t before = o->text.n;
		if ((t->seen && !o->open) || !fan_out_output_takes(p, o, KIND_TRANSFERS, &about))
			continue;
		fan_out_put_transfer(p, &o->text, &named, o->format);
		fan_out_finish_line(p, o, before);
	}
}

void fan_out_session(struct xrootd_program *p, const struct xrd_session_end *e)
{
	const struct xrd_who who = xrd_who_of(e->client, NULL);
	struct xrd_session_end named = *e;
	named.client_name = fan_out_host_name(p, who.user.host);
	for (size_t i = 0; i < TO_RAW; i++) {
		struct xrootd_output *o = &p->to[i];
		size_t before = o->text.n;
		if (!o->on || o->kind != KIND_SESSIONS)
			continue;
		session_line_put(&o->text, &named);
		fan_out_finish_line(p, o, before);
	}
}

static void fan_out_put_event(struct xrootd_program *p, const struct xrd_event *e,
			      enum output_kind kind,
			      enum osg_kind which)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct line_about about;
	if (!fan_out_has(p, kind) || !osg_event_about(e, which, &text, &about))
		return;
	for (size_t i = 0; i < TO_RAW; i++) {
		struct xrootd_output *o = &p->to[i];
		size_t before = o->text.n;
		if (!fan_out_output_takes(p, o, kind, &about))
			continue;
		osg_event_put(&o->text, e, which, realtime_us(),
			      o->format == FORMAT_WLCG ? p->host : NULL);
		fan_out_finish_line(p, o, before);
	}
}

void fan_out_event(struct xrootd_program *p, const struct xrd_event *e)
{
	if (e->packet->code != 'g')
		return;
	fan_out_put_event(p, e, KIND_CACHE, OSG_CACHE);
	fan_out_put_event(p, e, KIND_COPIES, OSG_COPY);
	fan_out_put_event(p, e, KIND_CONNECTIONS, OSG_CONNECTION);
}

static void fan_out_put_message(struct buf *b, const struct xrd_source *from, struct str datagram,
				int64_t now)
{
	struct shoveled m = { .address = from->address, .port = from->port, .usec = now };
	if (from->name)
		str_copy(m.name, sizeof(m.name), str_of(from->name));
	shoveler_put(b, &m, datagram);
}

void fan_out_datagram(struct xrootd_program *p, const struct xrd_source *from, struct str datagram,
		      int64_t now)
{
	for (size_t i = 0; i < TO_RAW; i++) {
		struct xrootd_output *o = &p->to[i];
		size_t before = o->text.n;
		if (!o->on || (o->kind != KIND_DATAGRAMS && o->kind != KIND_SUMMARIES))
			continue;
		if (o->kind == KIND_DATAGRAMS)
			fan_out_put_message(&o->text, from, datagram, now);
		else
			osg_summary_put(&o->text, p->summaries, datagram, from);
		fan_out_finish_line(p, o, before);
	}
}
