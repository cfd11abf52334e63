/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat.c - read summary packets in XRootD's own form, without an XML parser */
#include "formats/xrootd/xrdflat.h"

#include <errno.h>
#include "formats/xrootd/xrdflat_parts.h"
#include "formats/xrootd/xrdflat_shape.h"

/*
 * State of the reader. XRootD's packets have no entities or comments, and attributes in double
 * quotes after one blank; other packets are rejected. Loops over bytes keep pointers in local
 * variables, because the compiler knows that storing a byte cannot change these.
 */
struct scan {
	const char *p, *end;
	const struct xrd_values *to;
	struct xrd_shape *learn;		/* template to fill, or NULL */
	struct xrd_key key;
	struct str open[XRD_DEPTH_MAX];		/* names of the open elements */
};

static inline bool scan_take_char(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

/* Take a fixed text. A loop is faster than memcmp(3), because the texts are short. */
static inline bool scan_take_text(struct scan *s, struct str what)
{
	if ((size_t)(s->end - s->p) < what.n)
		return false;
	for (size_t i = 0; i < what.n; i++)
		if (s->p[i] != what.p[i])
			return false;
	s->p += what.n;
	return true;
}

static bool scan_take_name(struct scan *s, struct str *name)
{
	const char *from = s->p, *p = from, *end = s->end;
	while (p < end && xrd_class_of(*p) & XRD_NAME)
		p++;
	s->p = p;
	*name = (struct str){ from, (size_t)(p - from) };
	return p > from;
}

/* Take NAME="VALUE", or NAME=VALUE as mpxstats does. */
static bool scan_take_attribute(struct scan *s, struct str *name, struct str *value)
{
	if (!scan_take_char(s, ' ') || !scan_take_name(s, name) || !scan_take_char(s, '=') ||
	    s->p == s->end)
		return false;
	const char *from = s->p, *end = s->end, *p = from + 1;
	if (*from != '"') {
		if (!scan_take_name(s, value))
			return false;
		return s->p < s->end && (*s->p == ' ' || *s->p == '>');
	}
	while (p < end && *p != '"' && *p != '<' && *p != '&')
		p++;
	if (p == end || *p != '"')
		return false;
	*value = (struct str){ from + 1, (size_t)(p - from - 1) };
	s->p = p + 1;
	return true;
}

/*
 * Add a header attribute to the template. Give up the template if attributes are repeated, not in
 * output order, or not quoted.
 */
static void scan_learn_attribute(struct scan *s, struct str name, struct str value, size_t *next)
{
	size_t place = xrd_header_place(name);
	if (!s->learn)
		return;
	if (place == XRD_ATTRIBUTES || place < *next || s->p[-1] != '"')
		xrd_shape_give_up(s->learn);
	else
		xrd_shape_add(s->learn, XRD_HEADER,
			      XRD_IS_SITE(place) && !s->to->site ? STR("") : name, value);
	*next = place + 1;
}

static bool scan_header(struct scan *s)
{
	struct xrd_header h = { { { NULL, 0 } } };
	struct str name, value;
	size_t next = 0;
	if (!scan_take_text(s, STR("<statistics")))
		return false;
	while (!scan_take_char(s, '>')) {
		if (!scan_take_attribute(s, &name, &value))
			return false;
		xrd_header_set(&h, name, value);
		scan_learn_attribute(s, name, value, &next);
	}
	xrd_header_put(&h, s->to, false);
	return true;
}

/* Read the id of <stats id="x">. Other attributes are ignored. */
static bool scan_id(struct scan *s, struct str *id)
{
	struct str name, value;
	while (!scan_take_char(s, '>')) {
		if (!scan_take_attribute(s, &name, &value))
			return false;
		if (str_eq(name, STR("id")) && value.n)
			*id = value;
	}
	/* reject bytes that xrd_key_enter_any() would change */
	for (size_t i = 0; i < id->n; i++)
		if (xrd_class_of(id->p[i]) & XRD_BREAK || id->p[i] == '=')
			return false;
	return true;
}

static bool scan_start_tag(struct scan *s)
{
	struct str name, key;
	if (!scan_take_name(s, &name))
		return false;
	key = name;
	if (!scan_take_char(s, '>') && (!str_eq(name, STR("stats")) || !scan_id(s, &key)))
		return false;
	if (!xrd_key_enter(&s->key, key))
		return false;
	s->open[s->key.depth - 1] = name;
	return true;
}

/* Take </NAME>. Accept </mdb</rsp>, which ssi of XRootD 5.5 sends. */
static bool scan_end_tag(struct scan *s)
{
	struct str open;
	if (s->key.depth == 0)
		return false;
	open = s->open[s->key.depth - 1];
	if (!scan_take_text(s, open) ||
	    (!scan_take_char(s, '>') && (s->p == s->end || *s->p != '<')))
		return false;
	xrd_key_leave(&s->key);
	return true;
}

/* Read the text of an element. Returns false if it contains an entity. */
static bool scan_text(struct scan *s)
{
	const char *from = s->p, *p = from, *end = s->end;
	unsigned char seen = 0;
	while (p < end && *p != '<')
		seen |= xrd_class_of(*p++);
	s->p = p;
	struct str text = { from, (size_t)(p - from) };
	struct str key = xrd_key_str(&s->key);
	if (seen & XRD_AMPERSAND)
		return false;
	if (text.n == 0)
		return true;
	if (s->learn)
		xrd_shape_add(s->learn, XRD_BODY, key, text);
	if (key.n == 0)
		return true;
	if (seen & (XRD_BREAK | XRD_QUOTE))
		xrd_put_text(s->to, key, text);
	else
		s->to->put(s->to->arg, key, text);
	return true;
}

/* Read the rest after "</statistics". Servers before 2012 put the end time there. */
static bool scan_end(struct scan *s)
{
	struct str name, value = { NULL, 0 };
	if (!scan_take_char(s, '>') &&
	    (!scan_take_attribute(s, &name, &value) || !str_eq(name, STR("toe")) ||
	     !scan_take_char(s, '>')))
		return false;
	xrd_put_attribute(s->to, STR("toe"), value);
	if (value.n)	/* a template has no values in tags */
		s->learn = NULL;
	while (s->p < s->end && (*s->p == '\0' || *s->p == ' ' || *s->p == '\n'))
		s->p++;
	return s->p == s->end;
}

static bool scan_body(struct scan *s)
{
	for (;;) {
		if (!scan_text(s) || !scan_take_char(s, '<'))
			return false;
		if (!scan_take_char(s, '/')) {
			if (!scan_start_tag(s))
				return false;
		} else if (s->key.depth) {
			if (!scan_end_tag(s))
				return false;
		} else {
			return scan_take_text(s, STR("statistics")) && scan_end(s);
		}
	}
}

/* Return the value of the header's third attribute, which is "src" in all releases; or "". */
static struct str scan_source_of(struct str packet)
{
	struct str value = { NULL, 0 }, name = value;
	for (size_t i = 0; i < 3; i++)
		if (!str_take_until(&packet, '"', &name) || !str_take_until(&packet, '"', &value))
			return STR("");
	return str_ends(name, STR(" src=")) ? value : STR("");
}

int xrd_read_plain(struct str packet, const struct xrd_values *to, struct xrd_shapes *shapes)
{
	struct scan s;
	if (packet.n == 0)
		return -EAGAIN;
	s.p = packet.p;
	s.end = packet.p + packet.n;
	s.to = to;
	s.learn = NULL;
	s.key.n = s.key.depth = 0;
	if (shapes && to->lines) {
		s.learn = xrd_shape_of(shapes, scan_source_of(packet));
		if (xrd_shape_put(s.learn, packet, to))
			return 0;
		xrd_shape_begin(s.learn, packet);
	}
	if (!scan_header(&s) || !scan_body(&s))
		return -EAGAIN;
	if (s.learn)
		xrd_shape_end(s.learn, packet, to->lines);
	return 0;
}
