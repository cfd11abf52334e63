/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_transfer.c - one access to a file as a line of JSON, with the keys of OSG's collector */
#include "tracers/xrootd/lines/xrd_transfer.h"

#include "base/json.h"
#include "tracers/xrootd/join/byte_counts.h"
#include "tracers/xrootd/lines/request_sizes.h"
#include "tracers/xrootd/join/xrd_put.h"

/* The first two words of a path: "/a", "/a/b"; a file at the root is in "/". */
static struct str directory(const char *path, unsigned depth)
{
	struct str s = str_of(path ? path : "");
	size_t end = 0;
	for (size_t i = 1; i < s.n && depth; i++) {
		if (s.p[i] != '/')
			continue;
		if (s.p[i - 1] != '/') {
			end = i;
			depth--;
		}
	}
	return (struct str){ s.p, end ? end : s.n != 0 };
}

/* The last two words of a name; an address has none. */
static struct str domain(struct str host)
{
	size_t dots = 0, at = host.n;
	if (str_peek(host) == '[' || (host.n && host.p[host.n - 1] <= '9'))
		return STR("");
	while (at > 0 && dots < 2)
		dots += host.p[--at] == '.';
	if (!host.n || (dots < 2 && !str_has(host, '.')))
		return STR("");
	return str_skip(host, dots == 2 ? at + 1 : 0);
}

static void put_server(struct buf *b, const struct xrd_transfer *t)
{
	const struct xrd_server *s = t->server;
	json_strf(b, "serverID", "%u#%s#%u", s ? s->start : 0, s ? s->ip : "",
		  s ? s->source.port : 0);
	put_text(b, "server", str_of(s ? s->ip : ""));
	put_text(b, "server_ip", str_of(s ? s->ip : ""));
	put_text(b, "server_hostname", str_of(s ? s->host : ""));
	put_text(b, "server_instance", str_of(s ? s->instance : ""));
	put_text(b, "server_port", str_of(s ? s->port : ""));
	put_int(b, "server_start", s, s ? s->start : 0);
	put_text(b, "site", str_of(s ? s->site : ""));
}

static void put_user(struct buf *b, const struct xrd_who *w, struct str name)
{
	struct str ip = xrd_pair(w->auth, STR("I"));
	put_text(b, "user", w->user.name);
	put_text(b, "user_dn", xrd_pair(w->auth, STR("n")));
	put_text(b, "user_domain", domain(name.n ? name : w->user.host));
	put_text(b, "host", name.n ? name : w->user.host);
	put_text(b, "pid", w->user.pid);
	put_text(b, "protocol", w->user.protocol);
	put_text(b, "host_ip", str_peek(w->user.host) == '[' ? w->user.host : STR(""));
	put_text(b, "auth", xrd_pair(w->auth, STR("p")));
	put_text(b, "vo", xrd_who_vo(w));
	put_text(b, "role", xrd_pair(w->auth, STR("r")));
	put_text(b, "groups", xrd_pair(w->auth, STR("g")));
	put_text(b, "program", xrd_pair(w->auth, STR("x")));
	put_text(b, "moninfo", xrd_pair(w->auth, STR("y")));
	put_text(b, "client_version", xrd_pair(w->auth, STR("R")));
	put_text(b, "appinfo", w->info);
	put_bool(b, "ipv6", ip.n, str_eq(ip, STR("6")));
	put_text(b, "experiment", xrd_pair(w->flow, STR("Ec")));
	put_text(b, "activity", xrd_pair(w->flow, STR("Ac")));
	put_text(b, "token_subject", xrd_pair(w->token, STR("s")));
	put_text(b, "token_username", xrd_pair(w->token, STR("n")));
	put_text(b, "token_org", xrd_pair(w->token, STR("o")));
	put_text(b, "token_role", xrd_pair(w->token, STR("r")));
	put_text(b, "token_groups", xrd_pair(w->token, STR("g")));
}

static void put_window(struct buf *b, const char *name, bool known, const uint32_t w[2])
{
	if (!known) {
		json_null(b, name);
		return;
	}
	json_open(b, name, '[');
	json_u64(b, NULL, w[0]);
	json_u64(b, NULL, w[1]);
	json_close(b, ']');
}

/* Milliseconds, as OSG's: where the windows of open and close begin. */
static void put_times(struct buf *b, const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	const uint32_t *end = f->close ? f->close->window : t->copy ? t->copy->window : NULL;
	int64_t from = f->open_window[0], to = end ? end[0] : 0;
	put_int(b, "start_time", f->opened, from * 1000);
	put_int(b, "end_time", end, to * 1000);
	put_int(b, "timestamp", end, to * 1000);
	put_int(b, "operation_time", f->opened && end, to - from);
	put_window(b, "open_window", f->opened, f->open_window);
	put_window(b, "close_window", end, end);
}

struct kind_names {
	const char *average, *min, *max, *sigma;
};
#define KIND(prefix) { prefix "_average", prefix "_min", prefix "_max", prefix "_sigma" }

static const struct kind_names read_names = KIND("read");
static const struct kind_names single_names = KIND("read_single");
static const struct kind_names vector_names = KIND("read_vector");
static const struct kind_names segments_names = KIND("read_vector_count");
static const struct kind_names write_names = KIND("write");

static void put_kind(struct buf *b, const struct kind_names *name, const struct request_sizes *k)
{
	put_real(b, name->average, has_average(k), average_of(k));
	put_int(b, name->min, has_sizes(k), k->min);
	put_int(b, name->max, has_sizes(k), k->max);
	put_real(b, name->sigma, has_sigma(k), has_sigma(k) ? sigma_of(k) : 0);
}

static void put_operations(struct buf *b, const struct xrd_record *close,
			   const struct all_sizes *z)
{
	put_int(b, "read_operations", z->reads.known, z->reads.n);
	put_kind(b, &read_names, &z->reads);
	put_int(b, "read_single_operations", z->single.known, z->single.n);
	put_int(b, "read_single_bytes", close, close ? close->read : 0);
	put_kind(b, &single_names, &z->single);
	put_int(b, "read_vector_operations", z->vector.known, z->vector.n);
	put_int(b, "read_vector_bytes", close, close ? close->readv : 0);
	put_kind(b, &vector_names, &z->vector);
	put_int(b, "read_vector_segments", z->segments.known, z->segments.bytes);
	put_kind(b, &segments_names, &z->segments);
	put_int(b, "write_operations", z->write.known, z->write.n);
	put_kind(b, &write_names, &z->write);
}

static void put_certainty(struct buf *b, const char *name, const struct byte_count *c)
{
	static const char *const words[] = {
		[BYTES_EXACT] = "exact", [BYTES_AT_LEAST] = "at_least", [BYTES_UNKNOWN] = "",
	};
	put_text(b, name, str_of(words[c->is]));
}

static void put_payload(struct buf *b, const struct xrd_transfer *t, const struct byte_counts *all)
{
	static const char *const words[] = {
		[PAYLOAD_EXACT] = "exact", [PAYLOAD_AT_MOST] = "at_most", [PAYLOAD_UNKNOWN] = "",
	};
	const struct payload read = read_payload_of(t, all), write = write_payload_of(t, all);
	const char *why = read.why ? read.why : write.why;
	put_int(b, "read_payload", read.is != PAYLOAD_UNKNOWN, read.bytes);
	put_int(b, "write_payload", write.is != PAYLOAD_UNKNOWN, write.bytes);
	put_text(b, "read_payload_is", str_of(words[read.is]));
	put_text(b, "write_payload_is", str_of(words[write.is]));
	put_text(b, "payload_why", str_of(why ? why : ""));
}

static void put_bytes(struct buf *b, const struct xrd_transfer *t)
{
	static const char *const sources[] = {
		[FROM_NOTHING] = "", [FROM_CLOSE] = "close", [FROM_REPORT] = "report",
		[FROM_REQUESTS] = "requests", [FROM_COPY] = "copy",
	};
	const struct xrd_file *f = t->file;
	const struct xrd_record *c = f->close ? &f->close->record : NULL;
	const struct byte_counts all = byte_counts_of(t);
	const struct all_sizes sizes = all_sizes_of(&all, c);
	const char *why = all.read.why ? all.read.why : all.write.why;
	enum bytes_from from = all.read.from > all.write.from ? all.read.from : all.write.from;
	put_int(b, "read", all.read.is != BYTES_UNKNOWN, all.read.bytes);
	put_int(b, "readv", all.readv.is != BYTES_UNKNOWN, all.readv.bytes);
	put_int(b, "write", all.write.is != BYTES_UNKNOWN, all.write.bytes);
	put_certainty(b, "read_is", &all.read);
	put_certainty(b, "write_is", &all.write);
	put_text(b, "bytes_from", str_of(sources[from]));
	put_text(b, "bytes_why", str_of(why ? why : ""));
	put_payload(b, t, &all);
	put_int(b, "read_bytes_at_close", c, c ? bytes_plus(c->read, c->readv) : 0);
	put_int(b, "write_bytes_at_close", c, c ? c->write : 0);
	put_operations(b, c, &sizes);
}

static const struct {
	unsigned bit;
	const char *name;
} missing[] = {
	{ XRD_NO_OPEN,   "open"     },
	{ XRD_NO_CLOSE,  "close"    },
	{ XRD_NO_USER,   "user"     },
	{ XRD_NO_PATH,   "filename" },
	{ XRD_NO_SERVER, "server"   },
	{ XRD_NO_BYTES,  "bytes"    },
};

static const char *const ends[] = {
	[XRD_END_CLOSE] = "close", [XRD_END_DISCONNECT] = "disconnect",
	[XRD_END_RESTART] = "restart", [XRD_END_IDLE] = "idle",
	[XRD_END_EVICTED] = "evicted", [XRD_END_STOP] = "stop",
	[XRD_END_COPY] = "copy",
};

static void put_state(struct buf *b, const struct xrd_transfer *t)
{
	unsigned lacks = xrd_missing(t);
	put_bool(b, "complete", true, !lacks);
	json_open(b, "missing", '[');
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		if (lacks & missing[i].bit)
			json_str(b, NULL, str_of(missing[i].name));
	json_close(b, ']');
	json_str(b, "ended_by", str_of(ends[t->file->end]));
	const struct xrd_close *c = t->file->close;
	put_bool(b, "forced", c, c && c->record.flags & XRD_FORCED);
	put_int(b, "HasFileCloseMsg", true, t->file->closed && !t->copy);
	put_text(b, "copy", !t->copy ? STR("") : t->copy->push ? STR("push") : STR("pull"));
	put_int(b, "copy_status", t->copy, t->copy ? (int64_t)t->copy->status : 0);
	put_path(b, "copy_peer", str_of(t->copy ? t->copy->peer : c && c->peer ? c->peer : ""));
}

void xrd_transfer_put(struct buf *b, const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	struct xrd_who w = xrd_who_of(t->client, f);
	json_open(b, NULL, '{');
	bool escaped = put_path(b, "filename", str_of(f->path ? f->path : ""));
	put_int(b, "filesize", f->opened && !t->copy, f->size);
	put_int(b, "file_id", !t->copy, (int64_t)f->entry.id);
	put_bool(b, "for_write", f->opened, f->for_write);
	put_path(b, "dirname1", directory(f->path, 1));
	put_path(b, "dirname2", directory(f->path, 2));
	put_bool(b, "filename_escaped", f->path, escaped);
	put_server(b, t);
	put_user(b, &w, t->client_name);
	put_times(b, t);
	put_bytes(b, t);
	put_state(b, t);
	buf_add(b, STR("}\n"));
}
