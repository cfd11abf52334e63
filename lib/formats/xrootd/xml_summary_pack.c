/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary_pack.c - values as packets <statistics>, of which none is larger than it may be */
#include "formats/xrootd/xml_summary_pack.h"

#include <assert.h>

#define NAME_BYTES  80
#define VALUE_BYTES 160
#define CUT_BYTES   9	/* "~", eight digits */

/* Whether c breaks XML, a line of flat, or the words that mpxstats makes of a packet. */
static bool is_odd(char c)
{
	unsigned char u = (unsigned char)c;
	return u <= ' ' || u >= 0x7f || strchr("<>&\"'=", c);
}

/* How much of it fits. */
static size_t put_escaped(struct buf *b, struct str s, size_t most)
{
	size_t end = b->n + most, i;
	for (i = 0; i < s.n; i++) {
		bool odd = is_odd(s.p[i]);
		if (b->n + (odd ? 4 : 1) > end)
			break;
		if (odd)
			buf_addf(b, "\\%03o", (unsigned)(unsigned char)s.p[i]);
		else
			buf_add_char(b, s.p[i]);
	}
	return i;
}

/* Puts a text; one that is cut ends in a number of the whole (FNV-1a), to differ from others. */
static void put_text(struct buf *b, struct str s, size_t most)
{
	size_t start = b->n;
	uint32_t hash = 2166136261u;
	if (put_escaped(b, s, most) == s.n)
		return;
	b->n = start;
	put_escaped(b, s, most - CUT_BYTES);
	for (size_t i = 0; i < s.n; i++)
		hash = (hash ^ (unsigned char)s.p[i]) * 16777619u;
	buf_addf(b, "~%08x", hash);
}

/* An element's name begins with a letter, and has no more than letters, digits and "_" here. */
static void put_tag(struct buf *b, struct str s)
{
	if (s.n && (unsigned char)(*s.p - '0') <= 9)
		buf_add_char(b, '_');
	for (size_t i = 0; i < s.n && i < NAME_BYTES; i++) {
		char c = s.p[i], lower = (char)(c | 0x20);
		bool good = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
		buf_add_char(b, good ? c : '_');
	}
}

static void put_value(struct buf *b, struct str s)
{
	bool quote = str_peek(s) == '/';
	if (quote)
		buf_add_char(b, '"');
	put_text(b, s, VALUE_BYTES);
	if (quote)
		buf_add_char(b, '"');
}

static void put_opening(struct buf *b, const struct xml_summary_place *at)
{
	buf_add(b, at->tag ? STR("<") : STR("<stats id=\""));
	if (at->tag)
		put_tag(b, at->name);
	else
		put_text(b, at->name, NAME_BYTES);
	buf_add(b, at->tag ? STR(">") : STR("\">"));
	put_value(b, at->text);
}

static void put_closing(struct buf *b, const struct xml_summary_place *at)
{
	buf_add(b, STR("</"));
	put_tag(b, at->tag ? at->name : STR("stats"));
	buf_add_char(b, '>');
}

/* Bytes from the end of a value to that of the packet. */
static size_t closing_bytes(const struct xml_summary_pack *p)
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
	put_text(b, s->host, NAME_BYTES);
	buf_addf(b, ":0\" tos=\"%lld\" pgm=\"nodometer\" ins=\"anon\" pid=\"%d\" site=\"",
		 (long long)s->started, s->pid);
	put_text(b, s->site, NAME_BYTES);
	buf_add(b, STR("\">"));
	buf_addf(&p->tail, "<stats id=\"sgen\"><as>1</as><et>%lld</et><toe>%lld</toe></stats>"
		 "</statistics>", (long long)s->elapsed_ms, (long long)(s->now / 1000000));
}

static void send_packet(struct xml_summary_pack *p)
{
	while (p->open)
		put_closing(&p->packet, &p->at[--p->open]);
	buf_add(&p->packet, buf_str(&p->tail));
	p->send(p->arg, buf_str(&p->packet));
	p->packet.n = 0;
}

void xml_summary_end(struct xml_summary_pack *p)
{
	assert(p->depth == 0);
	if (p->packet.n)
		send_packet(p);
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
		put_closing(&p->packet, &p->at[--p->open]);
	p->depth--;
}

/* A value, and whatever must stand before it. */
static void put_next(struct xml_summary_pack *p, struct str key, struct str value)
{
	struct xml_summary_place element = { key, true, value };
	p->next.n = 0;
	if (p->packet.n == 0)
		buf_add(&p->next, buf_str(&p->head));
	for (size_t i = p->open; i < p->depth; i++)
		put_opening(&p->next, &p->at[i]);
	put_opening(&p->next, &element);
	put_closing(&p->next, &element);
}

void xml_summary_put(struct xml_summary_pack *p, struct str key, struct str value)
{
	put_next(p, key, value);
	if (p->packet.n && p->packet.n + p->next.n + closing_bytes(p) > p->limit) {
		send_packet(p);
		put_next(p, key, value);
	}
	buf_add(&p->packet, buf_str(&p->next));
	p->open = p->depth;
}

void xml_summary_put_u64(struct xml_summary_pack *p, struct str key, uint64_t value)
{
	char digits[U64_DIGITS];
	xml_summary_put(p, key, (struct str){ digits, (size_t)(u64_put(digits, value) - digits) });
}
