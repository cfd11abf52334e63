/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary_pack.c - split values into <statistics> packets of a limited size */
#include "formats/xrootd/xml_summary_pack.h"

#include <assert.h>

#define NAME_BYTES  80
#define VALUE_BYTES 160
#define CUT_BYTES   9	/* "~" and eight digits */

/*
 * Return true if a character must be escaped: XML, the flat form "KEY VALUE", or mpxstats's
 * splitting into words requires it.
 */
static bool pack_must_escape(char c)
{
	unsigned char u = (unsigned char)c;
	return u <= ' ' || u >= 0x7f || strchr("<>&\"'=", c);
}

/* Append the escaped text, at most `most` bytes. Returns the number of characters of s that fit. */
static size_t pack_put_escaped(struct buf *b, struct str s, size_t most)
{
	size_t end = b->n + most, i;
	for (i = 0; i < s.n; i++) {
		bool odd = pack_must_escape(s.p[i]);
		if (b->n + (odd ? 4 : 1) > end)
			break;
		if (odd)
			buf_addf(b, "\\%03o", (unsigned)(unsigned char)s.p[i]);
		else
			buf_add_char(b, s.p[i]);
	}
	return i;
}

/*
 * Append text. A text that is too long is cut, and ends in a hash of the complete text (FNV-1a), so
 * that different texts stay different.
 */
static void pack_put_text(struct buf *b, struct str s, size_t most)
{
	size_t start = b->n;
	uint32_t hash = 2166136261u;
	if (pack_put_escaped(b, s, most) == s.n)
		return;
	b->n = start;
	pack_put_escaped(b, s, most - CUT_BYTES);
	for (size_t i = 0; i < s.n; i++)
		hash = (hash ^ (unsigned char)s.p[i]) * 16777619u;
	buf_addf(b, "~%08x", hash);
}

/*
 * Append a valid element name: "_" precedes a first digit, and replaces characters that are not
 * letters or digits.
 */
static void pack_put_tag(struct buf *b, struct str s)
{
	if (s.n && (unsigned char)(*s.p - '0') <= 9)
		buf_add_char(b, '_');
	for (size_t i = 0; i < s.n && i < NAME_BYTES; i++) {
		char c = s.p[i], lower = (char)(c | 0x20);
		bool good = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
		buf_add_char(b, good ? c : '_');
	}
}

static void pack_put_value(struct buf *b, struct str s)
{
	bool quote = str_peek(s) == '/';
	if (quote)
		buf_add_char(b, '"');
	pack_put_text(b, s, VALUE_BYTES);
	if (quote)
		buf_add_char(b, '"');
}

static void pack_put_start_tag(struct buf *b, const struct xml_summary_place *at)
{
	buf_add(b, at->tag ? STR("<") : STR("<stats id=\""));
	if (at->tag)
		pack_put_tag(b, at->name);
	else
		pack_put_text(b, at->name, NAME_BYTES);
	buf_add(b, at->tag ? STR(">") : STR("\">"));
	pack_put_value(b, at->text);
}

static void pack_put_end_tag(struct buf *b, const struct xml_summary_place *at)
{
	buf_add(b, STR("</"));
	pack_put_tag(b, at->tag ? at->name : STR("stats"));
	buf_add_char(b, '>');
}

/* Return the number of bytes that the end tags and the end of the packet need. */
static size_t pack_closing_bytes(const struct xml_summary_pack *p)
{
	size_t n = p->tail.n;
	for (size_t i = 0; i < p->depth; i++)
		n += p->at[i].tag ? p->at[i].name.n + 4 : 8;
	return n;
}

void xml_summary_begin(struct xml_summary_pack *p, const struct xml_summary_sender *s)
{
	struct buf *b = &p->head;
	assert(p->limit >= SUMMARY_BYTES_MIN && p->limit <= SUMMARY_BYTES_MAX);
	b->n = p->tail.n = p->packet.n = p->depth = p->open = 0;
	buf_addf(b, "<statistics tod=\"%lld\" ver=\"v%s\" src=\"", (long long)s->read,
		 PACKAGE_VERSION);
	pack_put_text(b, s->host, NAME_BYTES);
	buf_addf(b, ":0\" tos=\"%lld\" pgm=\"nodometer\" ins=\"anon\" pid=\"%d\" site=\"",
		 (long long)s->started, s->pid);
	pack_put_text(b, s->site, NAME_BYTES);
	buf_add(b, STR("\">"));
	buf_addf(&p->tail, "<stats id=\"sgen\"><as>1</as><et>%lld</et><toe>%lld</toe></stats>"
		 "</statistics>", (long long)s->elapsed_ms, (long long)(s->now / 1000000));
}

static void pack_send(struct xml_summary_pack *p)
{
	while (p->open)
		pack_put_end_tag(&p->packet, &p->at[--p->open]);
	buf_add(&p->packet, buf_str(&p->tail));
	p->send(p->arg, buf_str(&p->packet));
	p->packet.n = 0;
}

void xml_summary_end(struct xml_summary_pack *p)
{
	assert(p->depth == 0);
	if (p->packet.n)
		pack_send(p);
}

void xml_summary_free(struct xml_summary_pack *p)
{
	buf_free(&p->head);
	buf_free(&p->tail);
	buf_free(&p->packet);
	buf_free(&p->next);
}

void xml_summary_open(struct xml_summary_pack *p, struct xml_summary_place place)
{
	assert(p->depth < SUMMARY_DEPTH);
	p->at[p->depth++] = place;
}

void xml_summary_close(struct xml_summary_pack *p)
{
	if (p->open == p->depth)
		pack_put_end_tag(&p->packet, &p->at[--p->open]);
	p->depth--;
}

/* Build the element of a value, with the packet header and the start tags before it, if needed. */
static void pack_build_value(struct xml_summary_pack *p, struct str key, struct str value)
{
	struct xml_summary_place element = { key, true, value };
	p->next.n = 0;
	if (p->packet.n == 0)
		buf_add(&p->next, buf_str(&p->head));
	for (size_t i = p->open; i < p->depth; i++)
		pack_put_start_tag(&p->next, &p->at[i]);
	pack_put_start_tag(&p->next, &element);
	pack_put_end_tag(&p->next, &element);
}

void xml_summary_put(struct xml_summary_pack *p, struct str key, struct str value)
{
	pack_build_value(p, key, value);
	if (p->packet.n && p->packet.n + p->next.n + pack_closing_bytes(p) > p->limit) {
		pack_send(p);
		pack_build_value(p, key, value);
	}
	buf_add(&p->packet, buf_str(&p->next));
	p->open = p->depth;
}

void xml_summary_put_u64(struct xml_summary_pack *p, struct str key, uint64_t value)
{
	char digits[U64_DIGITS];
	xml_summary_put(p, key, (struct str){ digits, (size_t)(u64_put(digits, value) - digits) });
}
