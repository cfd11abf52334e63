/* SPDX-License-Identifier: BSD-3-Clause */
/* osg_transfer.c - write an access to a file as a record of OSG's collector */
#include "xrootd/lines/osg.h"

#include "base/json.h"
#include "xrootd/join/byte_counts.h"
#include "xrootd/lines/request_sizes.h"
#include "xrootd/join/xrd_put.h"

/* Get the last two words of a host name. Returns an empty text for an address. */
struct str osg_domain(struct str host)
{
	size_t dots = 0, at = host.n;
	char first = str_peek(host);
	if (first == '[' || first == ':' || first == '.' || (first >= '0' && first <= '9'))
		return STR("");
	while (at > 0 && dots < 2)
		dots += host.p[--at] == '.';
	return str_skip(host, dots == 2 ? at + 1 : 0);
}

/* Get the first n components of a path, or all if there are fewer: "/a/b" of "/a/b/c" for n = 2. */
static struct str osg_path_components(struct str path, unsigned n)
{
	size_t i = 0;
	while (i < path.n && (path.p[i] != '/' || n-- > 0))
		i++;
	return (struct str){ path.p, i };
}

/*
 * Shorten a path by the first rule that matches. If the prefix ends in a slash, only the name
 * before the slash is kept.
 */
static struct str osg_logical_dirname(struct str path)
{
	static const struct {
		struct str prefix;
		unsigned keep;
	} rules[] = {
		{ STR("/user"), 2 }, { STR("/osgconnect/public"), 3 },
		{ STR("/osgconnect/protected"), 3 }, { STR("/ospool/PROTECTED"), 3 },
		{ STR("/ospool"), 4 }, { STR("/path-facility"), 3 }, { STR("/hcc"), 5 },
		{ STR("/pnfs/fnal.gov/usr"), 4 }, { STR("/gwdata"), 2 }, { STR("/chtc/"), 1 },
		{ STR("/icecube/"), 1 }, { STR("/igwn"), 3 }, { STR("/store"), 2 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (str_starts(path, rules[i].prefix))
			return osg_path_components(path, rules[i].keep);
	return STR("unknown directory");
}

struct osg_facts osg_facts_of(const struct xrd_transfer *t, const struct xrd_who *w)
{
	const struct xrd_file *f = t->file;
	const struct byte_counts all = byte_counts_of(t);
	struct osg_facts o = {
		.any = f->close || f->moved,
		.end = f->close ? (int64_t)f->close->window[0] * 1000 : f->entry.touched / 1000,
		.read = byte_count_known(&all.read), .readv = byte_count_known(&all.readv),
		.write = byte_count_known(&all.write), .counts = all,
		.path = str_of(f->path ? f->path : ""),
		.host = t->client_name.n ? t->client_name : w->user.host,
		.dn = xrd_who_dn(w), .vo = xrd_pair(w->auth, STR("o")), .appinfo = w->info,
		.server = t->server ? t->server->ip : "",
	};
	o.start = f->opened ? (int64_t)f->open_window[0] * 1000 : o.end;
	o.domain = osg_domain(o.host);
	if (t->server && t->server->known) {
		o.site = t->server->site;
		o.server = *t->server->host ? t->server->host : o.server;
	}
	return o;
}

static void osg_put_server(struct buf *b, const struct xrd_transfer *t, const struct osg_facts *o)
{
	const struct xrd_server *s = t->server;
	if (s && o->site)
		json_strf(b, "serverID", "%u#%s#%u", s->start, s->ip, s->source.port);
	json_str(b, "server", str_of(s ? s->ip : "unknown"));
	json_str(b, "server_ip", str_of(s ? s->ip : "unknown"));
	json_str(b, "server_hostname", str_of(s ? o->server : "unknown"));
	if (o->site)
		json_str(b, "site", str_of(o->site));
}

static void osg_put_user(struct buf *b, const struct xrd_who *w, const struct osg_facts *o)
{
	struct str ip = xrd_pair(w->auth, STR("I"));
	const struct {
		const char *name;
		struct str value;
	} all[] = {
		{ "user", w->user.name }, { "host", o->host }, { "user_domain", o->domain },
		{ "user_dn", o->dn }, { "vo", o->vo }, { "protocol", w->user.protocol },
		{ "appinfo", o->appinfo },
		{ "experiment", xrd_pair(w->flow, STR("Ec")) },
		{ "activity", xrd_pair(w->flow, STR("Ac")) },
		{ "token_subject", xrd_pair(w->token, STR("s")) },
		{ "token_username", xrd_pair(w->token, STR("n")) },
		{ "token_org", xrd_pair(w->token, STR("o")) },
		{ "token_role", xrd_pair(w->token, STR("r")) },
		{ "token_groups", xrd_pair(w->token, STR("g")) },
	};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		put_known(b, all[i].name, all[i].value);
	if (ip.n)
		json_bool(b, "ipv6", str_eq(ip, STR("6")));
}

static void osg_put_file(struct buf *b, const struct xrd_file *f, struct str path)
{
	const struct str missing = STR("missing directory");
	bool named = path.n != 0;
	put_path(b, "filename", named ? path : missing);
	if (f->opened && f->size >= 0)
		json_int(b, "filesize", f->size);
	else
		json_str(b, "filesize", STR("-1"));
	if (named) {
		put_path(b, "dirname1", osg_path_components(path, 1));
		put_path(b, "dirname2", osg_path_components(path, 2));
	}
	put_path(b, "logical_dirname", named ? osg_logical_dirname(path) : missing);
}

static void osg_put_sizes(struct buf *b, const char *average, const char *least, const char *most,
			  const struct request_sizes *k)
{
	json_double(b, average, average_of(k));
	if (!has_sizes(k))
		return;
	json_int(b, least, k->min);
	json_int(b, most, k->max);
}

static void osg_put_operations(struct buf *b, const struct byte_counts *all,
			       const struct xrd_record *c)
{
	const struct all_sizes z = all_sizes_of(all, c);
	if (!(c->flags & XRD_HAS_OPS))
		return;
	if (c->read >= 0)
		json_int(b, "read_single_bytes", c->read);
	json_int(b, "read_operations", requests_of(&z.reads));
	json_int(b, "read_single_operations", requests_of(&z.single));
	json_int(b, "read_vector_operations", requests_of(&z.vector));
	json_int(b, "write_operations", requests_of(&z.write));
	osg_put_sizes(b, "read_average", "read_min", "read_max", &z.reads);
	osg_put_sizes(b, "read_single_average", "read_single_min", "read_single_max", &z.single);
	osg_put_sizes(b, "read_vector_average", "read_vector_min", "read_vector_max", &z.vector);
	osg_put_sizes(b, "read_vector_count_average", "read_vector_count_min",
		      "read_vector_count_max", &z.segments);
	osg_put_sizes(b, "write_average", "write_min", "write_max", &z.write);
	if (c->read >= 0 && c->readv >= 0)
		json_int(b, "read_bytes_at_close", bytes_plus(c->read, c->readv));
	if (c->write >= 0)
		json_int(b, "write_bytes_at_close", c->write);
}

void osg_transfer_put(struct buf *b, const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	const struct xrd_who w = xrd_who_of(t->client, f);
	const struct osg_facts o = osg_facts_of(t, &w);
	if (!o.any)
		return;
	json_open(b, NULL, '{');
	json_int(b, "timestamp", o.end);
	json_int(b, "start_time", o.start);
	json_int(b, "end_time", o.end);
	json_int(b, "operation_time", (o.end - o.start) / 1000);
	json_int(b, "HasFileCloseMsg", f->opened);
	osg_put_server(b, t, &o);
	osg_put_user(b, &w, &o);
	osg_put_file(b, f, o.path);
	json_int(b, "read", o.read);
	json_int(b, "readv", o.readv);
	json_int(b, "write", o.write);
	if (f->close)
		osg_put_operations(b, &o.counts, &f->close->record);
	buf_add(b, STR("}\n"));
}
