/* SPDX-License-Identifier: BSD-3-Clause */
/* osg_events.c - events of the g-stream as messages of OSG's and WLCG's collectors */
#include "xrootd/lines/osg_events.h"

#include "base/json.h"
#include "formats/json_read.h"
#include "formats/xrootd/xrd_gline.h"
#include "xrootd/lines/osg.h"

#define NAME_MAX_BYTES 64

struct key_rename {
	struct str from;
	const char *to;		/* key in the message; NULL: other code writes the member */
};

/* Keys in XRootD's events (XrdPfcFile.cc), and in the messages of the collectors. */
static const struct key_rename cache_keys[] = {
	{ STR("lfn"), "file_path" }, { STR("blk_size"), "block_size" },
	{ STR("n_blks"), "numbers_blocks" }, { STR("n_blks_done"), "numbers_blocks_done" },
	{ STR("access_cnt"), "access_count" }, { STR("attach_t"), "attach_time" },
	{ STR("detach_t"), "detach_time" }, { STR("remotes"), "remotes_origin" },
	{ STR("b_hit"), "bytes_hit_cache" }, { STR("b_miss"), "bytes_miss_cache" },
	{ STR("b_bypass"), "bytes_bypass_cache" }, { STR("b_todisk"), "bytes_to_disk" },
	{ STR("b_prefetch"), "bytes_by_prefetch" },
	{ STR("n_cks_errs"), "numbers_checksum_errors" },
};

/* Keys in XRootD's events (XrdOfsTPC, XrdHttpTpc), and in the messages of the collectors. */
static const struct key_rename copy_keys[] = {
	{ STR("TPC"), "tpc_protocol" }, { STR("Client"), "client" }, { STR("Src"), NULL },
	{ STR("Dst"), NULL }, { STR("Size"), "size" }, { STR("Xeq"), NULL },
};

static const struct key_rename xeq_keys[] = {
	{ STR("Beg"), "begin_transfer" }, { STR("End"), "end_transfer" },
	{ STR("IPv"), "ip_version" }, { STR("RC"), "return_code" },
	{ STR("Strm"), "used_streams" }, { STR("Type"), "flow_direction" },
};

static const struct event_form {
	char provider;
	const struct key_rename *keys;
	size_t n_keys;
	const char *type;		/* value of "type" in WLCG's metadata */
} forms[] = {
	[OSG_CACHE]      = { 'C', cache_keys, ARRAY_SIZE(cache_keys), "metric" },
	[OSG_COPY]       = { 'P', copy_keys,  ARRAY_SIZE(copy_keys),  "tpc" },
	[OSG_CONNECTION] = { 'T', NULL,       0,                      "metric" },
};

static bool osg_event_is(const struct xrd_event *e, enum osg_kind kind)
{
	return e->packet->code == 'g' && e->packet->provider == forms[kind].provider && e->object.n;
}

bool osg_event_about(const struct xrd_event *e, enum osg_kind kind, struct buf *text,
		     struct line_about *about)
{
	struct str members;
	size_t first;
	text->n = 0;
	*about = (struct line_about){ .vo = STR("") };
	if (!osg_event_is(e, kind) || !json_take_object(e->object, &members))
		return false;
	if (kind == OSG_CACHE) {
		json_add_text(text, json_find(members, STR("lfn")));
		about->path = buf_str(text);
	} else if (kind == OSG_COPY) {
		xrd_g_add_side_path(text, e->object, STR("Src"));
		first = text->n;
		xrd_g_add_side_path(text, e->object, STR("Dst"));
		about->path = (struct str){ text->p, first };
		about->other_path = str_skip(buf_str(text), first);
	}
	return true;
}

static void osg_put_members(struct buf *b, struct str members, const struct key_rename *keys,
			    size_t n)
{
	char key[NAME_MAX_BYTES];
	struct str name, value;
	while (json_take_member(&members, &name, &value)) {
		size_t i = 0;
		while (i < n && !str_eq(keys[i].from, name))
			i++;
		if (i < n && keys[i].to)
			json_raw(b, keys[i].to, value);
		else if (i == n && str_copy(key, sizeof(key), name))
			json_raw(b, key, value);
	}
}

static void osg_put_side(struct buf *b, const char *name, struct str object, struct str side)
{
	struct buf url CLEANUP(buf_free) = { 0 };
	if (xrd_g_add_side(&url, object, side))
		json_str(b, name, buf_str(&url));
}

static void osg_put_copy(struct buf *b, struct str object, struct str members)
{
	struct str xeq;
	osg_put_side(b, "source", object, STR("Src"));
	osg_put_side(b, "destination", object, STR("Dst"));
	if (!json_take_object(json_find(members, STR("Xeq")), &xeq))
		return;
	json_open(b, "xeq", '{');
	osg_put_members(b, xeq, xeq_keys, ARRAY_SIZE(xeq_keys));
	json_close(b, '}');
}

/* Get the organisation of a path by the rules of Collectors/DetailedCollector.py. */
static struct str osg_path_vo(struct str path)
{
	static const struct {
		struct str prefix, vo;
	} rules[] = {
		{ STR("/user"), STR("osg") }, { STR("/osgconnect/public"), STR("osg") },
		{ STR("/pnfs/fnal.gov/usr"), STR("fermilab") }, { STR("/hcc"), STR("hcc") },
		{ STR("/gwdata"), STR("gwdata") }, { STR("/chtc/"), STR("chtc") },
		{ STR("/icecube/"), STR("icecube") },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (str_starts(path, rules[i].prefix))
			return rules[i].vo;
	return STR("noVO");
}

/*
 * Append the organisation and, if the server reports them (5.7.2 and later), the bytes read from
 * the origin.
 */
static void osg_put_cache(struct buf *b, struct str object, struct str members)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct xrd_g_cache c;
	json_add_text(&path, json_find(members, STR("lfn")));
	json_str(b, "vo", osg_path_vo(buf_str(&path)));
	if (!xrd_g_cache(object, &c) || !c.has_origin || c.to_disk > INT64_MAX / 2 ||
	    c.bypass > INT64_MAX / 2 || c.prefetch > INT64_MAX / 2)
		return;
	int64_t remote = (int64_t)(c.to_disk + c.bypass);
	json_int(b, "bytes_read_by_remote", remote);
	json_int(b, "bytes_explicit_remote_read", remote - (int64_t)c.prefetch);
}

static void osg_put_event_server(struct buf *b, const struct xrd_server *s, enum osg_kind kind)
{
	const char *host = *s->host ? s->host : s->ip;
	json_strf(b, "sid", "%u#%s#%u", s->start, s->ip, s->source.port);
	json_str(b, "server_ip", str_of(s->ip));
	json_str(b, "server_hostname", str_of(host));
	json_strf(b, "from", "%s:%u", s->ip, s->source.port);
	if (kind == OSG_CONNECTION)
		json_str(b, "hostname", str_of(host));
	if (s->known)
		json_str(b, "site", str_of(s->site));
}

void osg_event_put(struct buf *b, const struct xrd_event *e, enum osg_kind kind, int64_t now,
		   const char *wlcg_host)
{
	const struct event_form *f = &forms[kind];
	struct str members;
	if (!json_take_object(e->object, &members))
		return;
	json_open(b, NULL, '{');
	osg_put_members(b, members, f->keys, f->n_keys);
	if (kind == OSG_COPY)
		osg_put_copy(b, e->object, members);
	else if (kind == OSG_CACHE)
		osg_put_cache(b, e->object, members);
	osg_put_event_server(b, e->server, kind);
	if (wlcg_host) {
		char id[WLCG_ID_SIZE];
		wlcg_make_id(id);
		wlcg_put_metadata(b, &(struct wlcg_metadata){
			.producer = "cms-xrootd-cache", .type = f->type, .now = now,
			.host = wlcg_host, .id = id,
		});
	}
	buf_add(b, STR("}\n"));
}
