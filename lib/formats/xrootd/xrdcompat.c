/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdcompat.c - read summary packets exactly as mpxstats of XRootD 5.5.3 does */
#include "formats/xrootd/xrdflat.h"

#include <errno.h>
#include "formats/xrootd/xrdflat_parts.h"

/*
 * mpxstats does not parse XML. After the header, ">" and the "<" of "</" count as blanks, and the
 * rest is split into words: <NAME, /NAME, or a value. These rules were derived from the output of
 * mpxstats; tests/unit/test_xrdflat.c has the cases.
 */
#define COMPAT_DEPTH 16

struct xrdcompat_words {
	struct str rest;
	const struct xrd_values *to;
	struct xrd_key key;
	struct str open[COMPAT_DEPTH];
};

static bool xrdcompat_is_gap(struct str s, size_t i)
{
	if (s.p[i] == '<')
		return i + 1 < s.n && s.p[i + 1] == '/';
	return s.p[i] == ' ' || s.p[i] == '>';
}

/* Take a word. A blank, ">" or "</" ends any word; "<" also ends a value. */
static bool xrdcompat_take_word(struct str *in, struct str *word)
{
	size_t from = 0;
	while (from < in->n && xrdcompat_is_gap(*in, from))
		from++;
	size_t n = from;
	while (n < in->n && !xrdcompat_is_gap(*in, n) && (n == from || in->p[n] != '<'))
		n++;
	*word = (struct str){ in->p + from, n - from };
	*in = str_skip(*in, n);
	return word->n > 0;
}

static struct str xrdcompat_without_quotes(struct str s)
{
	if (str_peek(s) != '"')
		return s;
	s = str_skip(s, 1);
	if (s.n && s.p[s.n - 1] == '"')
		s.n--;
	/* mpxstats drops the "/" at the start of a word that is only a part of a value */
	else if (str_peek(s) == '/')
		s = str_skip(s, 1);
	return s;
}

static void xrdcompat_put_header(struct str text, const struct xrd_values *to)
{
	struct xrd_header h = { { { NULL, 0 } } };
	struct str word, name;
	while (str_take_word(&text, &word))
		if (str_take_until(&word, '=', &name))
			xrd_header_set(&h, name, xrdcompat_without_quotes(word));
	xrd_header_put(&h, to, true);
}

/*
 * Return the id of <stats id="x" v="2">. Drop all other words up to the next tag, even a text
 * directly before this tag, as in "3<a>".
 */
static struct str xrdcompat_stats_name(struct xrdcompat_words *w)
{
	struct str name = STR("stats");
	for (;;) {
		struct str s = w->rest;
		size_t n = 0;
		while (s.n && xrdcompat_is_gap(s, 0) && *s.p != '<')
			s = str_skip(s, 1);
		if (s.n == 0 || *s.p == '<')
			return name;
		while (n < s.n && !xrdcompat_is_gap(s, n))
			n++;
		w->rest = str_skip(s, n);
		s.n = n;
		if (str_take_prefix(&s, STR("id=")))
			name = xrdcompat_without_quotes(s);
	}
}

static int xrdcompat_enter(struct xrdcompat_words *w, struct str name)
{
	if (w->key.depth == COMPAT_DEPTH)
		return -EBADMSG;
	struct str open = name;
	if (str_eq(name, STR("stats")))
		name = xrdcompat_stats_name(w);
	w->open[w->key.depth] = open;
	return xrd_key_enter_any(&w->key, name) ? 0 : -EBADMSG;
}

/*
 * Handle an end tag. </stats> closes the innermost element, even if that element has another name.
 */
static int xrdcompat_leave(struct xrdcompat_words *w, struct str name)
{
	if (w->key.depth == 0)
		return -EBADMSG;
	if (!str_eq(name, STR("stats")) && !str_eq(name, w->open[w->key.depth - 1]))
		return -EBADMSG;
	xrd_key_leave(&w->key);
	return 0;
}

static int xrdcompat_put_body(struct xrdcompat_words *w)
{
	struct str word;
	while (xrdcompat_take_word(&w->rest, &word)) {
		int r = 0;
		if (str_take_prefix(&word, STR("<")))
			r = xrdcompat_enter(w, word);
		else if (str_take_prefix(&word, STR("/")))
			r = xrdcompat_leave(w, word);
		else
			w->to->put(w->to->arg, xrd_key_str(&w->key),
				   xrdcompat_without_quotes(word));
		if (r < 0)
			return r;
	}
	return 0;
}

/* Put the end time of old servers, </statistics toe="1">. */
static void xrdcompat_put_end(struct str tail, const struct xrd_values *to)
{
	struct str end;
	if (str_take_until(&tail, '>', &end) && str_take_prefix(&end, STR(" toe=")))
		to->put(to->arg, STR("toe"), xrdcompat_without_quotes(end));
}

int xrd_read_compat(struct str packet, const struct xrd_values *to)
{
	struct xrdcompat_words w = { .to = to };
	struct str header;
	if (packet.n > XRD_COMPAT_BYTES)
		packet.n = XRD_COMPAT_BYTES;
	if (!str_take_prefix(&packet, STR("<statistics ")) ||
	    !str_take_until(&packet, '>', &header))
		return -EBADMSG;
	const char *end = memmem(packet.p, packet.n, "</statistics", 12);
	if (!end)
		return -EBADMSG;
	w.rest = (struct str){ packet.p, (size_t)(end - packet.p) };
	if (str_has(w.rest, '\n') || str_has(w.rest, '\t') || str_has(w.rest, '\r'))
		return -EBADMSG;
	struct str tail = str_skip(packet, w.rest.n + 12);
	xrdcompat_put_header(header, to);
	int r = xrdcompat_put_body(&w);
	if (r == 0)
		xrdcompat_put_end(tail, to);
	return r;
}
