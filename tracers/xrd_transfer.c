/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_transfer.c - one access to a file as a line of JSON, with the keys of OSG's collector */
#include "tracers/xrd_transfer.h"

#include <math.h>
#include <stdio.h>
#include "formats/json.h"
#include "tracers/xrd_put.h"

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

/* "cms cms cms", of as many roles, is one. */
static struct str first_word(struct str s)
{
	struct str word = STR("");
	str_take_word(&s, &word);
	return word;
}

static struct str either(struct str a, struct str b)
{
	return a.n ? a : b;
}

static void put_server(struct buf *b, const struct xrd_transfer *t)
{
	const struct xrd_server *s = t->server;
	json_put_name(b, "serverID");
	buf_addf(b, "\"%u#%s#%u\"", s ? s->start : 0, s ? s->ip : "", s ? s->source.port : 0);
	put_text(b, "server", str_of(s ? s->ip : ""));
	put_text(b, "server_ip", str_of(s ? s->ip : ""));
	put_text(b, "server_hostname", str_of(s ? s->host : ""));
	put_text(b, "server_instance", str_of(s ? s->instance : ""));
	put_text(b, "server_port", str_of(s ? s->port : ""));
	put_int(b, "server_start", s, s ? s->start : 0);
	put_text(b, "site", str_of(s ? s->site : ""));
}

static void put_user(struct buf *b, const struct xrd_who *w)
{
	struct str ip = xrd_pair(w->auth, STR("I"));
	put_text(b, "user", w->user.name);
	put_text(b, "user_dn", xrd_pair(w->auth, STR("n")));
	put_text(b, "user_domain", domain(w->user.host));
	put_text(b, "host", w->user.host);
	put_text(b, "pid", w->user.pid);
	put_text(b, "protocol", w->user.protocol);
	put_text(b, "auth", xrd_pair(w->auth, STR("p")));
	put_text(b, "vo", first_word(either(xrd_pair(w->auth, STR("o")),
					    xrd_pair(w->token, STR("o")))));
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
	json_put_name(b, name);
	if (known)
		buf_addf(b, "[%u,%u]", w[0], w[1]);
	else
		buf_add(b, STR("null"));
}

static const struct xrd_close no_close;

/* Milliseconds, as OSG's: where the windows of open and close begin. */
static void put_times(struct buf *b, const struct xrd_file *f)
{
	const struct xrd_close *c = f->close ? f->close : &no_close;
	int64_t from = f->open_window[0], to = c->window[0];
	put_int(b, "start_time", f->opened, from * 1000);
	put_int(b, "end_time", f->close, to * 1000);
	put_int(b, "operation_time", f->opened && f->close, to - from);
	put_window(b, "open_window", f->opened, f->open_window);
	put_window(b, "close_window", f->close, c->window);
}

/* One kind of request; from pgread, pgwrite and writev come bytes that none of these knows of. */
struct kind {
	bool known;
	int64_t bytes, n;
	int32_t min, max;
	double squares;
	bool has_squares;
};

/* No request has a size where min is larger than max. */
static bool has_sizes(const struct kind *k)
{
	return k->known && k->n > 0 && k->min <= k->max;
}

/*
 * Seed, 3.4.3: S = sqrt(sum(x*x)/n - (sum(x)/n)^2). Only if all requests are in all of the sums:
 * their bytes then lie between n times the smallest and n times the largest.
 */
static bool has_sigma(const struct kind *k)
{
	double n = (double)k->n;
	return has_sizes(k) && k->has_squares && (double)k->bytes <= n * k->max &&
	       (double)k->bytes >= n * k->min && k->squares / n >= 0;
}

static double sigma(double n, double sum, double squares)
{
	double v = squares / n - sum / n * (sum / n);
	return v > 0 ? sqrt(v) : 0;
}

static void put_kind(struct buf *b, const char *prefix, const struct kind *k)
{
	static const char *const names[] = { "average", "min", "max", "sigma" };
	char name[4][48];
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		snprintf(name[i], sizeof(name[i]), "%s_%s", prefix, names[i]);
	put_real(b, name[0], k->known && k->n > 0, (double)k->bytes / (double)k->n);
	put_int(b, name[1], has_sizes(k), k->min);
	put_int(b, name[2], has_sizes(k), k->max);
	put_real(b, name[3], has_sigma(k), sigma((double)k->n, (double)k->bytes, k->squares));
}

/* What a server sends may be anything: the most there is, not an overflow. */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t v;
	return __builtin_add_overflow(a, b, &v) ? INT64_MAX : v;
}

/* Both ways to read together. */
static struct kind sum(const struct kind *a, const struct kind *b)
{
	struct kind k = *a;
	if (!a->known || !a->n)
		return *b;
	if (!b->n)
		return *a;
	k.bytes = plus(a->bytes, b->bytes);
	k.n += b->n;
	k.squares += b->squares;
	k.has_squares = has_sigma(a) && has_sigma(b);
	k.min = !has_sizes(a) || !has_sizes(b) ? 1 : a->min < b->min ? a->min : b->min;
	k.max = !has_sizes(a) || !has_sizes(b) ? 0 : a->max > b->max ? a->max : b->max;
	return k;
}

static void put_operations(struct buf *b, const struct xrd_record *c, bool closed)
{
	const struct xrd_ops *o = &c->ops;
	bool ops = closed && c->flags & XRD_HAS_OPS, ssq = closed && c->flags & XRD_HAS_SSQ;
	struct kind single = { ops, c->read, o->read, o->read_min, o->read_max, c->ssq.read, ssq };
	struct kind vector = { ops, c->readv, o->readv, o->readv_min, o->readv_max,
			       c->ssq.readv, ssq };
	struct kind write = { ops, c->write, o->write, o->write_min, o->write_max,
			      c->ssq.write, ssq };
	struct kind segments = { ops && o->readv > 0, o->segments, o->readv, o->segments_min,
				 o->segments_max, c->ssq.segments, ssq };
	struct kind all = sum(&single, &vector);

	put_int(b, "read_operations", ops, (int64_t)o->read + o->readv);
	put_kind(b, "read", &all);
	put_int(b, "read_single_operations", ops, o->read);
	put_int(b, "read_single_bytes", closed, c->read);
	put_kind(b, "read_single", &single);
	put_int(b, "read_vector_operations", ops, o->readv);
	put_int(b, "read_vector_bytes", closed, c->readv);
	put_kind(b, "read_vector", &vector);
	put_int(b, "read_vector_segments", ops, o->segments);
	put_kind(b, "read_vector_count", &segments);
	put_int(b, "write_operations", ops, o->write);
	put_kind(b, "write", &write);
}

/* What was moved until the close; without one, until the last report, so at least. */
static void put_bytes(struct buf *b, const struct xrd_file *f)
{
	const struct xrd_record *c = f->close ? &f->close->record : &no_close.record;
	bool known = f->close || f->moved;
	put_int(b, "read", known, f->close ? c->read : f->read);
	put_int(b, "readv", known, f->close ? c->readv : f->readv);
	put_int(b, "write", known, f->close ? c->write : f->write);
	put_int(b, "read_bytes_at_close", f->close, plus(c->read, c->readv));
	put_int(b, "write_bytes_at_close", f->close, c->write);
	put_operations(b, c, f->close);
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
};

static const char *const ends[] = {
	[XRD_END_CLOSE] = "close", [XRD_END_DISCONNECT] = "disconnect",
	[XRD_END_RESTART] = "restart", [XRD_END_IDLE] = "idle",
	[XRD_END_EVICTED] = "evicted", [XRD_END_STOP] = "stop",
};

static void put_state(struct buf *b, const struct xrd_transfer *t)
{
	unsigned lacks = xrd_missing(t);
	const char *comma = "";
	put_bool(b, "complete", true, !lacks);
	json_put_name(b, "missing");
	buf_add_char(b, '[');
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		if (!(lacks & missing[i].bit))
			continue;
		buf_addf(b, "%s\"%s\"", comma, missing[i].name);
		comma = ",";
	}
	buf_add_char(b, ']');
	json_put_name(b, "ended_by");
	buf_addf(b, "\"%s\"", ends[t->file->end]);
	const struct xrd_close *c = t->file->close;
	put_bool(b, "forced", c, c && c->record.flags & XRD_FORCED);
	put_int(b, "HasFileCloseMsg", true, t->file->closed);
}

void xrd_transfer_put(struct buf *b, const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	struct xrd_who w = xrd_who_of(t->client, f);
	buf_add_char(b, '{');
	put_text(b, "filename", str_of(f->path ? f->path : ""));
	put_int(b, "filesize", f->opened, f->size);
	put_int(b, "file_id", true, (int64_t)f->entry.id);
	put_bool(b, "for_write", f->opened, f->for_write);
	put_text(b, "dirname1", directory(f->path, 1));
	put_text(b, "dirname2", directory(f->path, 2));
	put_server(b, t);
	put_user(b, &w);
	put_times(b, f);
	put_bytes(b, f);
	put_state(b, t);
	buf_add(b, STR("}\n"));
}
