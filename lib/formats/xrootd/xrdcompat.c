/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdcompat.c - reads summary packets as mpxstats of XRootD 5.5.3 does, oddities included */
#include "formats/xrootd/xrdflat.h"

#include <errno.h>
#include "formats/xrootd/xrdflat_parts.h"

/*
 * Learnt from what the program prints, not from its source: tests/unit/test_xrdflat.c has the
 * cases. It knows no XML: after the header, ">" and the "<" of "</" are blanks to it, and
 * the rest are words: <NAME, /NAME, or a value.
 */
#define COMPAT_DEPTH 16

struct words {
	struct str rest;
	const struct xrd_values *to;
	struct xrd_key key;
	struct str open[COMPAT_DEPTH];
};

static bool is_gap(struct str s, size_t i)
{
	if (s.p[i] == '<')
		return i + 1 < s.n && s.p[i + 1] == '/';
	return s.p[i] == ' ' || s.p[i] == '>';
}

/* Up to a gap, or to the "<" of a tag that follows a value. */
static bool take_word(struct str *in, struct str *word)
{
	size_t from = 0;
	while (from < in->n && is_gap(*in, from))
		from++;
	size_t n = from;
	while (n < in->n && !is_gap(*in, n) && (n == from || in->p[n] != '<'))
		n++;
	*word = (struct str){ in->p + from, n - from };
	*in = str_skip(*in, n);
	return word->n > 0;
}

static struct str without_quotes(struct str s)
{
	if (str_peek(s) != '"')
		return s;
	s = str_skip(s, 1);
	if (s.n && s.p[s.n - 1] == '"')
		s.n--;
	else if (str_peek(s) == '/')	/* cut at a blank: an end tag to it, so far */
		s = str_skip(s, 1);
	return s;
}

static void put_header(struct str text, const struct xrd_values *to)
{
	struct xrd_header h = { { { NULL, 0 } } };
	struct str word, name;
	while (str_take_word(&text, &word))
		if (str_take_until(&word, '=', &name))
			xrd_header_set(&h, name, without_quotes(word));
	xrd_header_put(&h, to, true);
}

/*
 * <stats id="x" v="2">: its id counts, and whatever stands between that and the next tag is lost,
 * were it a text that a tag follows at once: "3<a>".
 */
static struct str stats_name(struct words *w)
{
	struct str name = STR("stats");
	for (;;) {
		struct str s = w->rest;
		size_t n = 0;
		while (s.n && is_gap(s, 0) && *s.p != '<')
			s = str_skip(s, 1);
		if (s.n == 0 || *s.p == '<')
			return name;
		while (n < s.n && !is_gap(s, n))
			n++;
		w->rest = str_skip(s, n);
		s.n = n;
		if (str_take_prefix(&s, STR("id=")))
			name = without_quotes(s);
	}
}

static int enter(struct words *w, struct str name)
{
	if (w->key.depth == COMPAT_DEPTH)
		return -EBADMSG;
	struct str open = name;
	if (str_eq(name, STR("stats")))
		name = stats_name(w);
	w->open[w->key.depth] = open;
	return xrd_key_enter_any(&w->key, name) ? 0 : -EBADMSG;
}

/* The end of <stats> ends whatever is open. */
static int leave(struct words *w, struct str name)
{
	if (w->key.depth == 0)
		return -EBADMSG;
	if (!str_eq(name, STR("stats")) && !str_eq(name, w->open[w->key.depth - 1]))
		return -EBADMSG;
	xrd_key_leave(&w->key);
	return 0;
}

static int put_body(struct words *w)
{
	struct str word;
	while (take_word(&w->rest, &word)) {
		int r = 0;
		if (str_take_prefix(&word, STR("<")))
			r = enter(w, word);
		else if (str_take_prefix(&word, STR("/")))
			r = leave(w, word);
		else
			w->to->put(w->to->arg, xrd_key_str(&w->key), without_quotes(word));
		if (r < 0)
			return r;
	}
	return 0;
}

/* The old form's time of the end. */
static void put_end(struct str tail, const struct xrd_values *to)
{
	struct str end;
	if (str_take_until(&tail, '>', &end) && str_take_prefix(&end, STR(" toe=")))
		to->put(to->arg, STR("toe"), without_quotes(end));
}

int xrd_read_compat(struct str packet, const struct xrd_values *to)
{
	struct words w = { .to = to };
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
	put_header(header, to);
	int r = put_body(&w);
	if (r == 0)
		put_end(tail, to);
	return r;
}
