/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_events.c - write one record of a datagram as a line of JSON or CSV */
#include "xrootd/lines/xrd_events.h"

#include "base/csv.h"
#include "base/json.h"
#include "base/utf8.h"
#include "formats/xrootd/xrd_gline.h"
#include "xrootd/join/xrd_put.h"

#define PAIRS_MAX 32

static const char *event_map_type(char code)
{
	static const struct {
		char code;
		const char *type;
	} types[] = {
		{ '=', "server" }, { 'u', "login" }, { 'd', "path"  }, { 'i', "info"   },
		{ 'U', "flow"   }, { 'T', "token" }, { 'x', "stage" }, { 'p', "purge"  },
	};
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].code == code)
			return types[i].type;
	return "map";
}

static const char *const kinds[] = {
	[XRD_OPEN] = "open", [XRD_CLOSE] = "close", [XRD_XFR] = "transfer",
	[XRD_DISC] = "disconnect", [XRD_READV] = "readv", [XRD_APPID] = "appid",
	[XRD_REDIRECT] = "redirect", [XRD_LINE] = "event", [XRD_UNKNOWN] = "unknown",
};

static const char *event_type(const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	if (r->kind == XRD_MAP)
		return event_map_type(e->packet->code);
	if (r->kind == XRD_LINE && e->packet->code == '=')
		return "server";
	if (r->kind == XRD_LINE && e->object.n && xrd_g_type(e->packet->provider))
		return xrd_g_type(e->packet->provider);
	if (r->kind == XRD_IO)
		return r->length < 0 ? "write" : "read";
	return kinds[r->kind];
}

/* Get the path of the file, or the text of a redirection or open. */
static struct str event_path(const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	if (r->kind == XRD_REDIRECT || (r->kind == XRD_OPEN && r->text.n))
		return r->text;
	return str_of(e->file && e->file->path ? e->file->path : "");
}

static void event_put_path(struct buf *b, struct str path)
{
	if (put_path(b, "path", path))
		put_bool(b, "path_escaped", true, true);
}

/*
 * Translate the operation ("op") of a file transfer (XRootD's System Monitoring Reference, 3.3.1).
 */
static struct str event_stage_operation(struct str op)
{
	static const struct str words[] = {
		STR("unknown"), STR("copied in by client"), STR("migrated"),
		STR("migrated and removed"), STR("copied out by client"),
		STR("copied out and removed"), STR("staged"),
	};
	size_t i = (size_t)(str_peek(op) - '0');
	return op.n == 1 && i < ARRAY_SIZE(words) ? words[i] : STR("");
}

/* Check if a value is a number in JSON, which has no leading zeros. */
static bool event_is_number(struct str value)
{
	return str_is_u64(value) && (value.n == 1 || *value.p != '0');
}

/*
 * Append the path and the pairs of an x or p record. The pairs begin at the last line that starts
 * with "&tod=", because the path may have any bytes.
 */
static void event_put_frm(struct buf *b, struct str info)
{
	static const char mark[] = "\n&tod=";
	struct str path = info, pairs = STR(""), key, value;
	for (size_t i = 0; i + sizeof(mark) - 1 <= info.n; i++)
		if (memcmp(info.p + i, mark, sizeof(mark) - 1) == 0) {
			path.n = i;
			pairs = str_skip(info, i + 1);
		}
	event_put_path(b, path);
	while (xrd_take_pair(&pairs, &key, &value)) {
		char name[16];
		str_copy(name, sizeof(name), key);
		if (event_is_number(value)) {
			json_raw(b, name, value.n < U64_DIGITS ? value : STR("null"));
		} else {
			put_text(b, name, value);
		}
		if (strcmp(name, "op") == 0)
			put_text(b, "operation", event_stage_operation(value));
	}
}

/* Check if the key is repeated in `rest`: servers send some keys twice, with the same value. */
static bool event_key_repeats(struct str rest, struct str key)
{
	struct str k, v;
	while (xrd_take_pair(&rest, &k, &v))
		if (str_eq(k, key))
			return true;
	return false;
}

static void event_put_values(struct buf *b, struct str info)
{
	struct str key, value;
	json_open(b, "values", '{');
	for (unsigned n = 0; n < PAIRS_MAX && xrd_take_pair(&info, &key, &value); n++) {
		char name[16];
		str_copy(name, sizeof(name), key);
		if (!event_key_repeats(info, key))
			json_str(b, name, value);
	}
	json_close(b, '}');
}

static void event_put_map(struct buf *b, const struct xrd_event *e)
{
	struct str userid, info;
	xrd_map_split(e->record->text, &userid, &info);
	put_int(b, "id", e->record->id, e->record->id);
	put_text(b, "userid", userid);
	if (e->packet->code == 'd' || e->packet->code == 'i') {
		if (e->packet->code == 'd')
			event_put_path(b, info);
		else
			put_text(b, "info", info);
		return;
	}
	if (e->packet->code == 'x' || e->packet->code == 'p') {
		event_put_frm(b, info);
		return;
	}
	event_put_values(b, info);
}

static void event_put_ops(struct buf *b, const struct xrd_ops *o)
{
	const struct {
		const char *name;
		int64_t v;
	} all[] = {
		{ "read", o->read }, { "readv", o->readv }, { "write", o->write },
		{ "rsMin", o->segments_min }, { "rsMax", o->segments_max },
		{ "rsegs", o->segments }, { "rdMin", o->read_min }, { "rdMax", o->read_max },
		{ "rvMin", o->readv_min }, { "rvMax", o->readv_max },
		{ "wrMin", o->write_min }, { "wrMax", o->write_max },
	};
	json_open(b, "ops", '{');
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		json_int(b, all[i].name, all[i].v);
	json_close(b, '}');
}

static void event_put_close(struct buf *b, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	put_int(b, "read", r->read >= 0, r->read);
	if (e->packet->code == 't') {
		put_int(b, "write", true, r->write);
		put_int(b, "read_granularity", true, (int64_t)1 << r->read_shift);
		put_int(b, "write_granularity", true, (int64_t)1 << r->write_shift);
		return;
	}
	put_int(b, "readv", r->readv >= 0, r->readv);
	put_int(b, "write", r->write >= 0, r->write);
	if (r->kind == XRD_XFR)
		return;
	put_bool(b, "forced", true, r->flags & XRD_FORCED);
	if (r->flags & XRD_HAS_OPS)
		event_put_ops(b, &r->ops);
	if (!(r->flags & XRD_HAS_SSQ))
		return;
	json_open(b, "ssq", '{');
	put_real(b, "read", true, r->ssq.read);
	put_real(b, "readv", true, r->ssq.readv);
	put_real(b, "rsegs", true, r->ssq.segments);
	put_real(b, "write", true, r->ssq.write);
	json_close(b, '}');
}

static void event_put_redirect(struct buf *b, const struct xrd_record *r)
{
	const char *op = xrd_redirect_op(r->op);
	put_text(b, "operation", str_of(op ? op : ""));
	put_text(b, "by", r->local ? STR("xrootd") : STR("cmsd"));
	put_text(b, "target", r->host);
	put_int(b, "port", true, r->port);
}

static void event_put_open(struct buf *b, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	put_int(b, "size", r->size >= 0, r->size);
	if (e->packet->code == 't')
		return;
	put_bool(b, "for_write", true, r->flags & XRD_HAS_RW);
	put_int(b, "user_id", r->flags & XRD_HAS_LFN, r->user);
}

static void event_put_request(struct buf *b, const struct xrd_record *r)
{
	if (r->kind == XRD_IO) {
		put_int(b, "offset", true, r->offset);
		put_int(b, "bytes", true, r->length < 0 ? -(int64_t)r->length : r->length);
		return;
	}
	put_int(b, "bytes", true, r->length);
	put_int(b, "segments", true, r->segments);
	put_int(b, "vector", true, r->vector);
	put_bool(b, "unpacked", true, r->unpacked);
}

static void event_put_disc(struct buf *b, const struct xrd_event *e)
{
	if (e->packet->code != 't')
		return;
	put_int(b, "seconds", true, e->record->seconds);
	put_bool(b, "forced", true, e->record->flags & XRD_FORCED);
	put_bool(b, "bound", true, e->record->flags & XRD_BOUND);
}

/* Append the JSON object of a g-stream line, or the line itself if it has no object. */
static void event_put_line(struct buf *b, const struct xrd_event *e)
{
	char provider[2] = { e->packet->provider, '\0' };
	put_text(b, "provider", str_of(provider));
	if (!e->object.n && e->packet->form == XRD_CGI && e->packet->code == '=')
		event_put_values(b, e->record->text);
	else if (!e->object.n)
		put_text(b, "line", e->record->text);
	if (!e->object.n)
		return;
	json_raw(b, "event", e->object);
	if (e->escaped)
		put_bool(b, "event_escaped", true, true);
}

static void event_put_appid(struct buf *b, const struct xrd_event *e)
{
	put_text(b, "text", e->record->text);
	if (e->client || e->next_file)
		put_bool(b, "inferred", true, true);
}

static void event_put_op(struct buf *b, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	put_text(b, "type", str_of(event_type(e)));
	if (r->kind == XRD_MAP) {
		event_put_map(b, e);
		return;
	}
	if (r->kind == XRD_LINE) {
		event_put_line(b, e);
		return;
	}
	put_int(b, "id", r->id, r->id);
	if (r->kind != XRD_DISC)
		event_put_path(b, event_path(e));
	switch (r->kind) {
	case XRD_OPEN:     event_put_open(b, e); break;
	case XRD_CLOSE:
	case XRD_XFR:      event_put_close(b, e); break;
	case XRD_DISC:     event_put_disc(b, e); break;
	case XRD_IO:
	case XRD_READV:    event_put_request(b, r); break;
	case XRD_REDIRECT: event_put_redirect(b, r); break;
	case XRD_APPID:    event_put_appid(b, e); break;
	default:           put_int(b, "bytes", true, (int64_t)r->text.n);
	}
	if (e->repeated)
		put_bool(b, "repeated", true, true);
}

static struct xrd_who event_who(const struct xrd_event *e)
{
	struct xrd_who w = xrd_who_of(e->client, e->file ? e->file : e->next_file);
	struct str userid, info;
	if (e->who.n && !e->client && !xrd_user_split(e->who, &w.user))
		/* the event names only the host of the client */
		w.user = (struct xrd_user){ .host = e->who };
	if (e->record->kind != XRD_MAP || e->packet->code == '=')
		return w;
	xrd_map_split(e->record->text, &userid, &info);
	if (!xrd_user_split(userid, &w.user))
		w.user = (struct xrd_user){ .name = STR("") };
	w.auth = e->packet->code == 'u' ? info : STR("");
	return w;
}

static void event_put_header(struct buf *b, const struct xrd_event *e)
{
	const struct xrd_server *s = e->server;
	struct xrd_who w = event_who(e);
	char stream[2] = { e->packet->code, '\0' };
	put_time(b, "start", e->times->begin);
	put_time(b, "end", e->times->end);
	put_time(b, "time", e->times->at);
	put_bool(b, "estimated", true, e->times->estimated);
	put_time(b, "received", e->arrived);
	put_text(b, "usr", w.user.name);
	put_text(b, "host", w.user.host);
	put_text(b, "pid", w.user.pid);
	put_text(b, "proc", xrd_pair(w.auth, STR("x")));
	put_text(b, "stream", str_of(stream));
	put_int(b, "sequence", !e->packet->is_headless, e->packet->seq);
	put_text(b, "server", str_of(s->ip));
	put_int(b, "port", true, s->source.port);
	put_int(b, "server_start", !e->packet->is_headless, s->start);
	put_int(b, "sid", e->packet->has_sid || s->has_sid,
		(int64_t)(e->packet->has_sid ? e->packet->sid : s->sid));
	put_text(b, "server_host", str_of(s->host));
	put_text(b, "instance", str_of(s->instance));
	put_text(b, "site", str_of(s->site));
}

void xrd_event_put(struct buf *b, const struct xrd_event *e)
{
	if (e->record->kind == XRD_WINDOW)
		return;
	json_open(b, NULL, '{');
	json_open(b, "hdr", '{');
	event_put_header(b, e);
	json_close(b, '}');
	json_open(b, "op", '{');
	event_put_op(b, e);
	buf_add(b, STR("}}\n"));
}

void xrd_event_csv_head(struct buf *b)
{
	buf_add(b, STR("time,start,end,server,port,server_start,usr,host,stream,type,id,path,"
		       "offset,bytes,read,readv,write\n"));
}

static void event_csv_known(struct buf *b, bool known, int64_t v)
{
	if (known)
		csv_int(b, v);
	else
		csv_raw(b, STR(""));
}

static bool event_csv_is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~' || s.p[i] == '\\')
			return false;
	return true;
}

static bool event_csv_is_plain(struct str character, bool valid)
{
	unsigned char c = (unsigned char)*character.p;
	return valid && c >= ' ' && c != 0x7f && c != '\\' && !utf8_control(character);
}

/*
 * Append a text that may have any bytes. Control characters, backslashes, and bytes that are not
 * UTF-8 are written in octal (\ooo), so that different texts stay different.
 */
static void event_csv_text(struct buf *b, struct str s)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str c = { s.p, 0 };
	if (event_csv_is_ascii(s)) {
		csv_str(b, s);
		return;
	}
	while (s.n) {
		bool valid = utf8_take(&s, &c);
		if (event_csv_is_plain(c, valid))
			buf_add(&text, c);
		else
			buf_add_word(&text, c, false);	/* write every byte in octal */
	}
	csv_str(b, buf_str(&text));
}

static void event_csv_values(struct buf *b, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	bool io = r->kind == XRD_IO, sums = r->kind == XRD_CLOSE || r->kind == XRD_XFR;
	event_csv_known(b, io, r->offset);
	event_csv_known(b, io || r->kind == XRD_READV,
			r->length < 0 ? -(int64_t)r->length : r->length);
	event_csv_known(b, sums && r->read >= 0, r->read);
	event_csv_known(b, sums && e->packet->code == 'f' && r->readv >= 0, r->readv);
	event_csv_known(b, sums && r->write >= 0, r->write);
	csv_end(b);
}

void xrd_event_csv(struct buf *b, const struct xrd_event *e)
{
	const int64_t times[] = { e->times->at, e->times->begin, e->times->end };
	struct xrd_who w = event_who(e);
	struct str path = event_path(e), userid;
	if (e->record->kind == XRD_WINDOW)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		csv_seconds(b, times[i]);
	if (e->packet->code == 'd')
		xrd_map_split(e->record->text, &userid, &path);
	csv_str(b, str_of(e->server->ip));
	csv_int(b, e->server->source.port);
	event_csv_known(b, !e->packet->is_headless, e->server->start);
	event_csv_text(b, w.user.name);
	event_csv_text(b, w.user.host);
	buf_addf(b, "%c,%s,", e->packet->code, event_type(e));
	event_csv_known(b, e->record->id, e->record->id);
	event_csv_text(b, path);
	event_csv_values(b, e);
}
