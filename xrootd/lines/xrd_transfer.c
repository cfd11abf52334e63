/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_transfer.c - write one access to a file as a line of JSON, with OSG's keys */
#include "xrootd/lines/xrd_transfer.h"

#include "formats/xrootd/packet.h"
#include "xrootd/join/byte_counts.h"
#include "xrootd/join/flows.h"
#include "xrootd/join/xrd_put.h"
#include "xrootd/lines/members.h"
#include "xrootd/lines/request_sizes.h"
#include "xrootd/lines/user_text.h"

/*
 * Get the first `depth` directories of a path: "/a/b" of "/a/b/c/f" for 2. A file at the root is in
 * "/".
 */
static struct str transfer_directory(const char *path, unsigned depth)
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

void xrd_transfer_put_server(struct buf *b, const struct xrd_server *s)
{
	const struct str ip = str_of(s ? s->ip : "");
	member_key(b, STR(",\"serverID\":\""));
	buf_add_u64(b, s ? s->start : 0);
	buf_add_char(b, '#');
	buf_add(b, ip);
	buf_add_char(b, '#');
	buf_add_u64(b, s ? s->source.port : 0);
	buf_add_char(b, '"');
	member_text(b, KEY("server"), ip);
	member_text(b, KEY("server_ip"), ip);
	member_text(b, KEY("server_hostname"), str_of(s ? s->host : ""));
	member_text(b, KEY("server_instance"), str_of(s ? s->instance : ""));
	member_text(b, KEY("server_port"), str_of(s ? s->port : ""));
	member_int(b, KEY("server_start"), s, s ? s->start : 0);
	member_text(b, KEY("site"), str_of(s ? s->site : ""));
}

MEMBER put_window(struct buf *b, struct str key, bool known, const uint32_t w[2])
{
	if (!known) {
		member_null(b, key);
		return;
	}
	member_key(b, key);
	buf_add_char(b, '[');
	buf_add_u64(b, w[0]);
	buf_add_char(b, ',');
	buf_add_u64(b, w[1]);
	buf_add_char(b, ']');
}

static void transfer_put_user(struct buf *b, const struct xrd_transfer *t)
{
	if (!t->user_json.n) {
		const struct xrd_who w = xrd_who_of(t->client, t->file);
		user_text_put(b, &w, t->client_name);
		return;
	}
	buf_add_char(b, ',');
	buf_add(b, t->user_json);
}

/*
 * Append the times of open and close in milliseconds: as in OSG's format, the beginning of each
 * time window.
 */
static void transfer_put_times(struct buf *b, const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	const uint32_t *end = f->close ? f->close->window : t->copy ? t->copy->window : NULL;
	const uint32_t *at = end ? end : t->seen;
	int64_t from = f->open_window[0], to = end ? end[0] : 0;
	member_int(b, KEY("start_time"), f->opened, from * 1000);
	member_int(b, KEY("end_time"), end, to * 1000);
	member_int(b, KEY("timestamp"), at, at ? (int64_t)at[0] * 1000 : 0);
	member_int(b, KEY("operation_time"), f->opened && end, to - from);
	put_window(b, KEY("open_window"), f->opened, f->open_window);
	put_window(b, KEY("close_window"), end, end);
}

/* Append the sizes of one kind of request. prefix must be a string literal. */
#define PUT_KIND(b, prefix, k) \
	put_kind(b, KEY(prefix "_average"), KEY(prefix "_min"), KEY(prefix "_max"), \
		 KEY(prefix "_sigma"), k)

MEMBER put_kind(struct buf *b, struct str average, struct str least, struct str most,
		struct str sigma, const struct request_sizes *k)
{
	member_real(b, average, has_average(k), average_of(k));
	member_int(b, least, has_sizes(k), k->min);
	member_int(b, most, has_sizes(k), k->max);
	member_real(b, sigma, has_sigma(k), has_sigma(k) ? sigma_of(k) : 0);
}

static void transfer_put_operations(struct buf *b, const struct xrd_record *close,
				    const struct all_sizes *z)
{
	member_int(b, KEY("read_operations"), z->reads.known, z->reads.n);
	PUT_KIND(b, "read", &z->reads);
	member_int(b, KEY("read_single_operations"), z->single.known, z->single.n);
	member_int(b, KEY("read_single_bytes"), close && close->read >= 0, close ? close->read : 0);
	PUT_KIND(b, "read_single", &z->single);
	member_int(b, KEY("read_vector_operations"), z->vector.known, z->vector.n);
	member_int(b, KEY("read_vector_bytes"), close && close->readv >= 0,
		   close ? close->readv : 0);
	PUT_KIND(b, "read_vector", &z->vector);
	member_int(b, KEY("read_vector_segments"), z->segments.known, z->segments.bytes);
	PUT_KIND(b, "read_vector_count", &z->segments);
	member_int(b, KEY("write_operations"), z->write.known, z->write.n);
	PUT_KIND(b, "write", &z->write);
}

MEMBER put_certainty(struct buf *b, struct str key, const struct byte_count *c)
{
	static const char *const words[] = {
		[BYTES_EXACT] = "exact", [BYTES_AT_LEAST] = "at_least", [BYTES_UNKNOWN] = "",
	};
	member_text(b, key, str_of(words[c->is]));
}

static void transfer_put_payload(struct buf *b, const struct xrd_transfer *t,
				 const struct byte_counts *all)
{
	static const char *const words[] = {
		[PAYLOAD_EXACT] = "exact", [PAYLOAD_AT_MOST] = "at_most", [PAYLOAD_UNKNOWN] = "",
	};
	const struct payload read = read_payload_of(t, all), write = write_payload_of(t, all);
	const char *why = read.why ? read.why : write.why;
	member_int(b, KEY("read_payload"), read.is != PAYLOAD_UNKNOWN, read.bytes);
	member_int(b, KEY("write_payload"), write.is != PAYLOAD_UNKNOWN, write.bytes);
	member_text(b, KEY("read_payload_is"), str_of(words[read.is]));
	member_text(b, KEY("write_payload_is"), str_of(words[write.is]));
	member_text(b, KEY("payload_why"), str_of(why ? why : ""));
}

static void transfer_put_bytes(struct buf *b, const struct xrd_transfer *t)
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
	member_int(b, KEY("read"), all.read.is != BYTES_UNKNOWN, all.read.bytes);
	member_int(b, KEY("readv"), all.readv.is != BYTES_UNKNOWN, all.readv.bytes);
	member_int(b, KEY("write"), all.write.is != BYTES_UNKNOWN, all.write.bytes);
	put_certainty(b, KEY("read_is"), &all.read);
	put_certainty(b, KEY("write_is"), &all.write);
	member_text(b, KEY("bytes_from"), str_of(sources[from]));
	member_text(b, KEY("bytes_why"), str_of(why ? why : ""));
	transfer_put_payload(b, t, &all);
	member_int(b, KEY("read_bytes_at_close"), c && c->read >= 0 && c->readv >= 0,
		   c ? bytes_plus(c->read, c->readv) : 0);
	member_int(b, KEY("write_bytes_at_close"), c && c->write >= 0, c ? c->write : 0);
	transfer_put_operations(b, c, &sizes);
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
	[XRD_END_COPY] = "copy", [XRD_END_REOPEN] = "reopen",
};

const char *xrd_transfer_end_name(enum xrd_end why)
{
	return ends[why];
}

static void transfer_put_state(struct buf *b, const struct xrd_transfer *t)
{
	unsigned lacks = xrd_missing(t);
	member_bool(b, KEY("complete"), true, !lacks);
	member_key(b, STR(",\"missing\":["));
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		if (lacks & missing[i].bit)
			json_str(b, NULL, str_of(missing[i].name));
	buf_add_char(b, ']');
	member_text(b, KEY("ended_by"), str_of(t->seen ? "" : ends[t->file->end]));
	const struct xrd_close *c = t->file->close;
	member_bool(b, KEY("forced"), c, c && c->record.flags & XRD_FORCED);
	member_int(b, KEY("HasFileCloseMsg"), true, t->file->closed && !t->copy);
	member_text(b, KEY("copy"), !t->copy ? STR("") : t->copy->push ? STR("push") : STR("pull"));
	member_int(b, KEY("copy_status"), t->copy, t->copy ? (int64_t)t->copy->status : 0);
	put_path(b, "copy_peer", str_of(t->copy ? t->copy->peer : c && c->peer ? c->peer : ""));
}

/* Append the TCP connection: SciTags numbers, addresses and ports, and the kernel's counters. */
static void transfer_put_flow(struct buf *b, const struct flow_match *m)
{
	static const char *const states[] = { "start", "ongoing", "end" };
	const struct firefly *f = m->flow ? &m->flow->firefly : NULL;
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
	json_int(b, "flows", (int64_t)m->n);
	if (!f) {
		json_null(b, "flow");
		return;
	}
	packet_address_text(&f->src, src);
	packet_address_text(&f->dst, dst);
	json_open(b, "flow", '{');
	json_str(b, "state", str_of(states[f->state]));
	json_str(b, "src_ip", str_of(src));
	json_u64(b, "src_port", f->src_port);
	json_str(b, "dst_ip", str_of(dst));
	json_u64(b, "dst_port", f->dst_port);
	json_u64(b, "experiment_id", f->experiment);
	json_u64(b, "activity_id", f->activity);
	put_text(b, "application", str_of(f->application));
	json_seconds(b, "start", f->start);
	if (f->end)
		json_seconds(b, "end", f->end);
	else
		json_null(b, "end");
	put_int(b, "received", f->has_usage, (int64_t)f->received);
	put_int(b, "sent", f->has_usage, (int64_t)f->sent);
	put_real(b, "rtt_ms", f->has_rtt, f->rtt_ms);
	json_close(b, '}');
}

void xrd_transfer_put(struct buf *b, const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	json_open(b, NULL, '{');
	bool escaped = put_path(b, "filename", str_of(f->path ? f->path : ""));
	member_int(b, KEY("filesize"), f->opened && f->size >= 0 && !t->copy, f->size);
	member_int(b, KEY("file_id"), !t->copy, (int64_t)f->entry.id);
	member_bool(b, KEY("for_write"), f->opened, f->for_write);
	put_path(b, "dirname1", transfer_directory(f->path, 1));
	put_path(b, "dirname2", transfer_directory(f->path, 2));
	member_bool(b, KEY("filename_escaped"), f->path, escaped);
	xrd_transfer_put_server(b, t->server);
	transfer_put_user(b, t);
	transfer_put_times(b, t);
	transfer_put_bytes(b, t);
	transfer_put_state(b, t);
	if (t->flow)
		transfer_put_flow(b, t->flow);
	buf_add(b, STR("}\n"));
}
