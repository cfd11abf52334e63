/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdjson.c - read summary packets in JSON, which servers since 5.9 can send */
#include "formats/xrootd/xrdflat.h"

#include <errno.h>
#include "formats/xrootd/xrdflat_parts.h"

/*
 * A packet is
 * {"statistics":{"tod":1,"ver":"v6.1.0",...,"stats_NAME":{"key":1,"within":{"it":2},"list":[3]}}}
 * (XrdStats.cc, XrdMonitor.cc). Values are put as written, so that no number is rounded. They get
 * the keys that they have in XML packets: NAME.key, NAME.within.it, NAME.list.0.
 */
struct xrdjson_reader {
	struct str in;
	const struct xrd_values *to;	/* NULL: ignore the values */
	struct xrd_header header;
	struct xrd_key key;
};

static void xrdjson_skip_blanks(struct xrdjson_reader *r)
{
	while (r->in.n && (*r->in.p == ' ' || *r->in.p == '\t' || *r->in.p == '\r' ||
			   *r->in.p == '\n'))
		r->in = str_skip(r->in, 1);
}

static bool xrdjson_take_char(struct xrdjson_reader *r, char c)
{
	xrdjson_skip_blanks(r);
	if (str_peek(r->in) != c || r->in.n == 0)
		return false;
	r->in = str_skip(r->in, 1);
	return true;
}

/*
 * Take a string. Escapes are not resolved, because XRootD writes none. A quote after a backslash
 * does not end the string.
 */
static bool xrdjson_take_string(struct xrdjson_reader *r, struct str *s)
{
	size_t n = 0;
	if (!xrdjson_take_char(r, '"'))
		return false;
	while (n < r->in.n && r->in.p[n] != '"')
		n += r->in.p[n] == '\\' ? 2 : 1;
	if (n >= r->in.n)
		return false;
	*s = (struct str){ r->in.p, n };
	r->in = str_skip(r->in, n + 1);
	return true;
}

static bool xrdjson_is_bare(struct str s)
{
	char c = str_peek(s);
	return c == '-' || (c >= '0' && c <= '9') || str_eq(s, STR("true")) ||
	       str_eq(s, STR("false")) || str_eq(s, STR("null"));
}

/* Take a number, true, false or null; for null, *s is "". */
static bool xrdjson_take_bare(struct xrdjson_reader *r, struct str *s)
{
	size_t n = 0;
	while (n < r->in.n && (xrd_class_of(r->in.p[n]) & XRD_NAME || r->in.p[n] == '+'))
		n++;
	*s = (struct str){ r->in.p, n };
	if (!xrdjson_is_bare(*s))
		return false;
	r->in = str_skip(r->in, n);
	if (str_eq(*s, STR("null")))
		s->n = 0;
	return true;
}

static int xrdjson_put_scalar(struct xrdjson_reader *r, bool quoted)
{
	struct str value;
	if (quoted ? !xrdjson_take_string(r, &value) : !xrdjson_take_bare(r, &value))
		return -EBADMSG;
	if (r->to)
		xrd_put_text(r->to, xrd_key_str(&r->key), value);
	return 0;
}

static int xrdjson_enter(struct xrdjson_reader *r, struct str name)
{
	return xrd_key_enter_any(&r->key, name) ? 0 : -E2BIG;
}

/* An open object or list. The nesting is limited to XRD_DEPTH_MAX, like that of a key. */
struct xrdjson_open {
	char end;	/* '}' or ']' */
	uint32_t n;	/* number of members read */
};

static int xrdjson_name_member(struct xrdjson_reader *r, struct xrdjson_open *o)
{
	char digits[12];
	struct str name;
	if (o->end == '}') {
		if (!xrdjson_take_string(r, &name) || !xrdjson_take_char(r, ':'))
			return -EBADMSG;
		return xrdjson_enter(r, name);
	}
	size_t at = sizeof(digits);
	uint32_t v = o->n;
	do
		digits[--at] = (char)('0' + v % 10);
	while (v /= 10);
	return xrdjson_enter(r, (struct str){ digits + at, sizeof(digits) - at });
}

/*
 * Begin the value of the current key. Returns 1 if it is an object or list; 0 if it is a scalar,
 * which was put; or -errno.
 */
static int xrdjson_begin_value(struct xrdjson_reader *r, struct xrdjson_open *o)
{
	xrdjson_skip_blanks(r);
	char c = str_peek(r->in);
	if (c != '{' && c != '[')
		return xrdjson_put_scalar(r, c == '"');
	r->in = str_skip(r->in, 1);
	*o = (struct xrdjson_open){ .end = c == '{' ? '}' : ']' };
	return 1;
}

/* Read all members of an open object, and those of all objects and lists in it. */
static int xrdjson_read_members(struct xrdjson_reader *r)
{
	struct xrdjson_open open[XRD_DEPTH_MAX + 1] = { { .end = '}' } };
	size_t at = 0;
	for (;;) {
		struct xrdjson_open *o = &open[at];
		if (xrdjson_take_char(r, o->end)) {
			if (at-- == 0)
				return 0;
			xrd_key_leave(&r->key);
			continue;
		}
		if (o->n && !xrdjson_take_char(r, ','))
			return -EBADMSG;
		int e = xrdjson_name_member(r, o);
		o->n++;
		if (e < 0)
			return e;
		e = xrdjson_begin_value(r, &open[at + 1]);
		if (e < 0)
			return e;
		if (e == 1)
			at++;
		else
			xrd_key_leave(&r->key);
	}
}

/* Read a block, such as http_plugin from "stats_http_plugin". Other objects are ignored. */
static int xrdjson_read_block(struct xrdjson_reader *r, struct str name)
{
	struct xrdjson_open o;
	if (!str_take_prefix(&name, STR("stats_")))
		r->to = NULL;
	int e = xrdjson_enter(r, name);
	if (e == 0)
		e = xrdjson_begin_value(r, &o);
	if (e == 1)
		e = o.end == '}' ? xrdjson_read_members(r) : -EBADMSG;
	if (e == 0)
		xrd_key_leave(&r->key);
	return e;
}

/* Read the members of "statistics": header attributes and blocks. */
static int xrdjson_read_statistics(struct xrdjson_reader *r, const struct xrd_values *to)
{
	struct str name, value;
	bool first = true;
	while (!xrdjson_take_char(r, '}')) {
		if ((!first && !xrdjson_take_char(r, ',')) || !xrdjson_take_string(r, &name) ||
		    !xrdjson_take_char(r, ':'))
			return -EBADMSG;
		first = false;
		xrdjson_skip_blanks(r);
		char c = str_peek(r->in);
		if (c == '{' || c == '[') {
			r->to = to;	/* xrdjson_read_block() may have set r->to to NULL */
			int e = xrdjson_read_block(r, name);
			if (e < 0)
				return e;
		} else if (c == '"' ? xrdjson_take_string(r, &value) : xrdjson_take_bare(r,
											 &value)) {
			xrd_header_set(&r->header, name, value);
		} else {
			return -EBADMSG;
		}
	}
	return 0;
}

static int xrdjson_read_once(struct xrdjson_reader *r, struct str packet,
			     const struct xrd_values *to)
{
	struct str name;
	r->in = packet;
	r->key.n = r->key.depth = 0;
	if (!xrdjson_take_char(r, '{') || !xrdjson_take_string(r, &name) ||
	    !str_eq(name, STR("statistics")) ||
	    !xrdjson_take_char(r, ':') || !xrdjson_take_char(r, '{'))
		return -EBADMSG;
	int e = xrdjson_read_statistics(r, to);
	if (e < 0)
		return e;
	if (!xrdjson_take_char(r, '}'))
		return -EBADMSG;
	xrdjson_skip_blanks(r);
	return r->in.n == 0 || *r->in.p == '\0' ? 0 : -EBADMSG;
}

int xrd_read_json(struct str packet, const struct xrd_values *to)
{
	struct xrdjson_reader r = { .to = NULL };
	/* read the header attributes first, because they may be anywhere in the packet */
	int e = xrdjson_read_once(&r, packet, NULL);
	if (e < 0)
		return e;
	xrd_header_put(&r.header, to, false);
	return xrdjson_read_once(&r, packet, to);
}
