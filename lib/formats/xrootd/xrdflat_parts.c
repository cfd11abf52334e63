/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_parts.c - helpers of the readers of summary packets: header, keys and words */
#include "formats/xrootd/xrdflat_parts.h"

#include <errno.h>

const unsigned char xrd_class[256] = {
	[0 ... ' '] = XRD_BREAK, [0x7f] = XRD_BREAK, ['>'] = XRD_BREAK, ['"'] = XRD_QUOTE,
	['0' ... '9'] = XRD_NAME, ['a' ... 'z'] = XRD_NAME, ['A' ... 'Z'] = XRD_NAME,
	['_'] = XRD_NAME, ['-'] = XRD_NAME, ['.'] = XRD_NAME, ['&'] = XRD_AMPERSAND,
};

/*
 * Header attributes in output order (XRootD's System Monitoring Reference, 2.2). mpxstats omits
 * site.
 */
static const struct str xrd_header_attributes[XRD_ATTRIBUTES] = {
	{ "tod", 3 }, { "ver", 3 }, { "src", 3 }, { "tos", 3 }, { "pgm", 3 }, { "ins", 3 },
	{ "pid", 3 }, { "site", 4 },
};

const char *xrd_why(int error)
{
	switch (error) {
	case -E2BIG:
		return "elements too deep, or a key too long";
	case -EOPNOTSUPP:
		return "XML for which this build lacks expat";
	default:
		return "not a summary packet: no well-formed <statistics>";
	}
}

size_t xrd_header_place(struct str name)
{
	size_t i = 0;
	while (i < XRD_ATTRIBUTES && !str_eq(name, xrd_header_attributes[i]))
		i++;
	return i;
}

void xrd_header_set(struct xrd_header *h, struct str name, struct str value)
{
	size_t i = xrd_header_place(name);
	if (i < XRD_ATTRIBUTES)
		h->value[i] = value;
}

void xrd_put_host(const struct xrd_values *to)
{
	if (to->host.n)
		to->put(to->arg, STR("host"), to->host);
}

/* Take a word up to a blank or, in the body, ">". */
static bool xrd_take_value_word(struct str *text, bool body, struct str *word)
{
	size_t from = 0;
	while (from < text->n && xrd_class_of(text->p[from]) & XRD_BREAK &&
	       (body || text->p[from] != '>'))
		from++;
	size_t n = from;
	while (n < text->n && (!(xrd_class_of(text->p[n]) & XRD_BREAK) ||
	       (!body && text->p[n] == '>')))
		n++;
	*word = (struct str){ text->p + from, n - from };
	*text = str_skip(*text, n);
	return word->n > 0;
}

void xrd_put_attribute(const struct xrd_values *to, struct str name, struct str value)
{
	struct str word;
	while (value.n && xrd_take_value_word(&value, false, &word))
		to->put(to->arg, name, word);
}

void xrd_header_put(const struct xrd_header *h, const struct xrd_values *to, bool raw)
{
	for (size_t i = 0; i < XRD_ATTRIBUTES; i++) {
		if (XRD_IS_SITE(i) && !to->site)
			continue;
		bool is_empty_site = XRD_IS_SITE(i) && to->empty_site && !h->value[i].n;
		if (!raw && !is_empty_site)
			xrd_put_attribute(to, xrd_header_attributes[i], h->value[i]);
		else if (h->value[i].p)
			to->put(to->arg, xrd_header_attributes[i], h->value[i]);
	}
	xrd_put_host(to);
}

bool xrd_key_enter_any(struct xrd_key *k, struct str name)
{
	if (!xrd_key_enter(k, name))
		return false;
	for (char *p = k->text + k->n - name.n; p < k->text + k->n; p++) {
		unsigned char c = (unsigned char)*p;
		if (c <= ' ' || c == 0x7f || c == '=' || c == '&')
			*p = '_';
	}
	return true;
}

static struct str xrd_trim_breaks(struct str s)
{
	while (s.n && xrd_class_of(*s.p) & XRD_BREAK)
		s = str_skip(s, 1);
	while (s.n && xrd_class_of(s.p[s.n - 1]) & XRD_BREAK)
		s.n--;
	return s;
}

void xrd_put_text(const struct xrd_values *to, struct str key, struct str text)
{
	struct str word;
	text = xrd_trim_breaks(text);
	if (text.n > 1 && text.p[0] == '"' && text.p[text.n - 1] == '"')
		text = (struct str){ text.p + 1, text.n - 2 };
	while (text.n && xrd_take_value_word(&text, true, &word))
		to->put(to->arg, key, word);
}
