/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdjson.c - reads the JSON form of XRootD's summary packets, which servers since 5.9 send, too */
#include "formats/xrootd/xrdflat.h"

#include <errno.h>
#include "formats/xrootd/xrdflat_parts.h"

/*
 * {"statistics":{"tod":1,"ver":"v6.1.0",...,"stats_NAME":{"key":1,"within":{"it":2},"list":[3]}}}
 * (XrdStats.cc, XrdMonitor.cc). Values come out as they are written, so that no number is rounded;
 * the keys are those that the same set has in XML: NAME.key, NAME.within.it, NAME.list.0.
 */
struct reader {
	struct str in;
	const struct xrd_values *to;	/* NULL: nothing of it is put */
	struct xrd_header header;
	struct xrd_key key;
};

static void skip_blanks(struct reader *r)
{
	while (r->in.n && (*r->in.p == ' ' || *r->in.p == '\t' || *r->in.p == '\r' ||
			   *r->in.p == '\n'))
		r->in = str_skip(r->in, 1);
}

static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (str_peek(r->in) != c || r->in.n == 0)
		return false;
	r->in = str_skip(r->in, 1);
	return true;
}

/* Takes the text between quotes: XRootD escapes nothing, so an escape stays as it is. */
static bool take_string(struct reader *r, struct str *s)
{
	size_t n = 0;
	if (!take(r, '"'))
		return false;
	while (n < r->in.n && r->in.p[n] != '"')
		n += r->in.p[n] == '\\' ? 2 : 1;
	if (n >= r->in.n)
		return false;
	*s = (struct str){ r->in.p, n };
	r->in = str_skip(r->in, n + 1);
	return true;
}

static bool is_bare(struct str s)
{
	char c = str_peek(s);
	return c == '-' || (c >= '0' && c <= '9') || str_eq(s, STR("true")) ||
	       str_eq(s, STR("false")) || str_eq(s, STR("null"));
}

/* A number, true, false; null is no value. */
static bool take_bare(struct reader *r, struct str *s)
{
	size_t n = 0;
	while (n < r->in.n && (xrd_class_of(r->in.p[n]) & XRD_NAME || r->in.p[n] == '+'))
		n++;
	*s = (struct str){ r->in.p, n };
	if (!is_bare(*s))
		return false;
	r->in = str_skip(r->in, n);
	if (str_eq(*s, STR("null")))
		s->n = 0;
	return true;
}

static int put_scalar(struct reader *r, bool quoted)
{
	struct str value;
	if (quoted ? !take_string(r, &value) : !take_bare(r, &value))
		return -EBADMSG;
	if (r->to)
		xrd_put_text(r->to, xrd_key_str(&r->key), value);
	return 0;
}

static int enter(struct reader *r, struct str name)
{
	return xrd_key_enter_any(&r->key, name) ? 0 : -E2BIG;
}

/* An object or a list that we are in; there are no more of them than elements in a key. */
struct open {
	char end;	/* '}' or ']' */
	uint32_t n;	/* members so far */
};

static int name_member(struct reader *r, struct open *o)
{
	char digits[12];
	struct str name;
	if (o->end == '}') {
		if (!take_string(r, &name) || !take(r, ':'))
			return -EBADMSG;
		return enter(r, name);
	}
	size_t at = sizeof(digits);
	uint32_t v = o->n;
	do
		digits[--at] = (char)('0' + v % 10);
	while (v /= 10);
	return enter(r, (struct str){ digits + at, sizeof(digits) - at });
}

/* The value of the key: 1 if it is an object or a list, which begins; 0; -errno. */
static int begin_value(struct reader *r, struct open *o)
{
	skip_blanks(r);
	char c = str_peek(r->in);
	if (c != '{' && c != '[')
		return put_scalar(r, c == '"');
	r->in = str_skip(r->in, 1);
	*o = (struct open){ .end = c == '{' ? '}' : ']' };
	return 1;
}

/* The members of an object that was begun, down to all leaves. */
static int read_members(struct reader *r)
{
	struct open open[XRD_DEPTH_MAX + 1] = { { .end = '}' } };
	size_t at = 0;
	for (;;) {
		struct open *o = &open[at];
		if (take(r, o->end)) {
			if (at-- == 0)
				return 0;
			xrd_key_leave(&r->key);
			continue;
		}
		if (o->n && !take(r, ','))
			return -EBADMSG;
		int e = name_member(r, o);
		o->n++;
		if (e < 0)
			return e;
		e = begin_value(r, &open[at + 1]);
		if (e < 0)
			return e;
		if (e == 1)
			at++;
		else
			xrd_key_leave(&r->key);
	}
}

/* A set of counters; only what is called so: "stats_http_plugin" is block http_plugin. */
static int read_block(struct reader *r, struct str name)
{
	struct open o;
	if (!str_take_prefix(&name, STR("stats_")))
		r->to = NULL;
	int e = enter(r, name);
	if (e == 0)
		e = begin_value(r, &o);
	if (e == 1)
		e = o.end == '}' ? read_members(r) : -EBADMSG;
	if (e == 0)
		xrd_key_leave(&r->key);
	return e;
}

/* Header and blocks stand beside one another. */
static int read_statistics(struct reader *r, const struct xrd_values *to)
{
	struct str name, value;
	bool first = true;
	while (!take(r, '}')) {
		if ((!first && !take(r, ',')) || !take_string(r, &name) || !take(r, ':'))
			return -EBADMSG;
		first = false;
		skip_blanks(r);
		char c = str_peek(r->in);
		if (c == '{' || c == '[') {
			r->to = to;	/* read_block() may say NULL */
			int e = read_block(r, name);
			if (e < 0)
				return e;
		} else if (c == '"' ? take_string(r, &value) : take_bare(r, &value)) {
			xrd_header_set(&r->header, name, value);
		} else {
			return -EBADMSG;
		}
	}
	return 0;
}

static int read_once(struct reader *r, struct str packet, const struct xrd_values *to)
{
	struct str name;
	r->in = packet;
	r->key.n = r->key.depth = 0;
	if (!take(r, '{') || !take_string(r, &name) || !str_eq(name, STR("statistics")) ||
	    !take(r, ':') || !take(r, '{'))
		return -EBADMSG;
	int e = read_statistics(r, to);
	if (e < 0)
		return e;
	if (!take(r, '}'))
		return -EBADMSG;
	skip_blanks(r);
	return r->in.n == 0 || *r->in.p == '\0' ? 0 : -EBADMSG;
}

int xrd_read_json(struct str packet, const struct xrd_values *to)
{
	struct reader r = { .to = NULL };
	int e = read_once(&r, packet, NULL);	/* the header comes out first, wherever it stands */
	if (e < 0)
		return e;
	xrd_header_put(&r.header, to, false);
	return read_once(&r, packet, to);
}
