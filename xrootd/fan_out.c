/* SPDX-License-Identifier: BSD-3-Clause */
/* fan_out.c - which lines go to which outputs: accesses, events of sites' pipelines, datagrams */
#include <arpa/inet.h>
#include "base/clock.h"
#include "formats/xrootd/shoveler.h"
#include "tracers/xrootd/lines/osg.h"
#include "tracers/xrootd/lines/osg_events.h"
#include "tracers/xrootd/lines/osg_summary.h"
#include "tracers/xrootd/lines/xrd_transfer.h"
#include "tracers/xrootd/program.h"

/* "[::ffff:192.0.2.1]", or a name. */
static struct str name_of(struct program *p, struct str host)
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
	struct program *p = arg;
	struct xrd_user u;
	if (xrd_user_split(userid, &u))
		(void)name_of(p, u.host);
}

bool fan_out_has(const struct program *p, enum output_kind kind)
{
	for (size_t i = 0; i < TO_RAW; i++)
		if (p->to[i].on && p->to[i].kind == kind)
			return true;
	return false;
}

bool fan_out_has_open(const struct program *p)
{
	for (size_t i = 0; i < TO_RAW; i++)
		if (p->to[i].open)
			return true;
	return false;
}

/* The rest is what no filter of another output of the kind takes. */
static bool is_rest(const struct program *p, enum output_kind kind, const struct line_about *about)
{
	for (size_t i = 0; i < TO_RAW; i++) {
		const struct output *o = &p->to[i];
		if (o->on && o->kind == kind && line_filter_is_set(&o->filter) &&
		    line_filter_takes(&o->filter, about))
			return false;
	}
	return true;
}

static bool takes(const struct program *p, const struct output *o, enum output_kind kind,
		  const struct line_about *about)
{
	return o->on && o->kind == kind && line_filter_takes(&o->filter, about) &&
	       (!o->filter.rest || is_rest(p, kind, about));
}

static void put_access(const struct program *p, struct buf *text, const struct xrd_transfer *t,
		       enum line_format format)
{
	if (format == FORMAT_OSG)
		osg_transfer_put(text, t);
	else if (format == FORMAT_WLCG)
		wlcg_transfer_put(text, t, realtime_us(), p->host);
	else
		xrd_transfer_put(text, t);
}

/* Ends a line; a million of them may come at once. */
static void end_line(struct program *p, struct output *o, size_t before)
{
	output_keep(o, before);
	if (o->text.n >= OUT_BYTES)
		outputs_write(p);
}

/* A client that its server knows by name is found by that name, where names are asked for. */
void fan_out_firefly(struct program *p, const struct xrd_source *from, struct str datagram)
{
	char address[INET6_ADDRSTRLEN], host[INET6_ADDRSTRLEN + 2];
	struct flow *f = flows_note(&p->flows, &from->address, datagram);
	if (!f || !p->names || !inet_ntop(AF_INET6, &f->firefly.dst, address, sizeof(address)))
		return;
	snprintf(host, sizeof(host), "[%s]", address);
	struct str name = name_of(p, str_of(host));
	if (name.n)
		str_copy(f->name, sizeof(f->name), name);
}

void fan_out_transfer(struct program *p, const struct xrd_transfer *t)
{
	if (!fan_out_has(p, KIND_TRANSFERS))
		return;
	struct user_text *user = user_text_of(&p->users, t->client, t->file);
	const struct line_about about = {
		.vo = user->vo, .path = str_of(t->file->path ? t->file->path : ""),
	};
	struct xrd_transfer named = *t;
	named.client_name = name_of(p, user->who.user.host);
	named.user_json = user_text_json(user, named.client_name);
	struct flow_match flow;
	if (p->flow_port) {
		flow = flows_match(&p->flows, t, &user->who);
		named.flow = &flow;
	}
	for (size_t i = 0; i < TO_RAW; i++) {
		struct output *o = &p->to[i];
		size_t before = o->text.n;
		if ((t->seen && !o->open) || !takes(p, o, KIND_TRANSFERS, &about))
			continue;
		put_access(p, &o->text, &named, o->format);
		end_line(p, o, before);
	}
}

static void put_event(struct program *p, const struct xrd_event *e, enum output_kind kind,
		      enum osg_kind which)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct line_about about;
	if (!fan_out_has(p, kind) || !osg_event_about(e, which, &text, &about))
		return;
	for (size_t i = 0; i < TO_RAW; i++) {
		struct output *o = &p->to[i];
		size_t before = o->text.n;
		if (!takes(p, o, kind, &about))
			continue;
		osg_event_put(&o->text, e, which, realtime_us(),
			      o->format == FORMAT_WLCG ? p->host : NULL);
		end_line(p, o, before);
	}
}

void fan_out_event(struct program *p, const struct xrd_event *e)
{
	if (e->packet->code != 'g')
		return;
	put_event(p, e, KIND_CACHE, OSG_CACHE);
	put_event(p, e, KIND_COPIES, OSG_COPY);
	put_event(p, e, KIND_CONNECTIONS, OSG_CONNECTION);
}

void fan_out_datagram(struct program *p, const struct xrd_source *from, struct str datagram,
		      int64_t now)
{
	for (size_t i = 0; i < TO_RAW; i++) {
		struct output *o = &p->to[i];
		size_t before = o->text.n;
		if (!o->on || (o->kind != KIND_DATAGRAMS && o->kind != KIND_SUMMARIES))
			continue;
		if (o->kind == KIND_DATAGRAMS)
			shoveler_put(&o->text, &(struct shoveled){ from->address, from->port, now },
				     datagram);
		else
			osg_summary_put(&o->text, p->summaries, datagram, &from->address);
		end_line(p, o, before);
	}
}
