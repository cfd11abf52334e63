/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_shape.c - the last packet of each server and its lines: what changed is read again */
#include "formats/xrootd/xrdflat_shape.h"

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/xrootd/xrdflat_parts.h"

/* 46 KB each at most, so 47 MB in all, if servers do their worst; those of 5.5 make 8 KB. */
#define SHAPES     1024
#define VALUES_MAX 512
#define PACKET_MAX 8192
#define LINES_MAX  16384
#define KEYS_MAX   16384

/* A value of the packet: from where to where, and where its lines begin. */
struct piece {
	uint16_t begin, end, line;
	uint16_t key, key_n;		/* in .keys; none: it has no lines */
	uint16_t part;			/* enum xrd_part */
};

struct xrd_shape {
	struct buf packet, lines, keys;	/* .lines: without the sender's */
	struct piece *piece;
	size_t n, n_header;
	const char *from;		/* the packet that it is learnt from, or NULL */
	bool whole;			/* learnt to its end */
};

struct xrd_shapes {
	struct xrd_shape shape[SHAPES];
};

/* State while lines are put for a packet that differs in some values from the last. */
struct change {
	struct xrd_shape *s;
	const struct xrd_values *to;
	struct str packet;
	size_t at, in;		/* up to there the last packet, and this one, are done */
	size_t start, host_n;	/* of the text: where it begins; bytes of the sender's line */
	bool changed;
};

struct xrd_shapes *xrd_shapes_new(void)
{
	struct xrd_shapes *all = calloc(1, sizeof(*all));
	if (!all)
		abort();
	return all;
}

void xrd_shapes_free(struct xrd_shapes *all)
{
	for (size_t i = 0; all && i < SHAPES; i++) {
		buf_free(&all->shape[i].packet);
		buf_free(&all->shape[i].lines);
		buf_free(&all->shape[i].keys);
		free(all->shape[i].piece);
	}
	free(all);
}

struct xrd_shape *xrd_shape_of(struct xrd_shapes *all, struct str source)
{
	uint64_t hash = str_hash(source);
	return &all->shape[(hash ^ hash >> 32) % SHAPES];
}

static void put_line(void *arg, struct str key, struct str value)
{
	const struct xrd_lines *l = arg;
	buf_add(l->to, key);
	buf_add_char(l->to, l->between);
	buf_add(l->to, value);
	buf_add_char(l->to, l->after);
}

/* As the reader of tags puts it. */
static void put_value(const struct xrd_lines *to, const struct xrd_shape *s,
		      const struct piece *q, struct str value, unsigned char seen)
{
	struct str key = { s->keys.p + q->key, q->key_n };
	struct xrd_lines lines = *to;
	const struct xrd_values words = { .put = put_line, .arg = &lines };
	if (key.n == 0 || value.n == 0)
		return;
	if (!(seen & (XRD_BREAK | XRD_QUOTE)))
		put_line(&lines, key, value);
	else if (q->part == XRD_BODY)
		xrd_put_text(&words, key, value);
	else
		xrd_put_attribute(&words, key, value);
}

/* The value that begins there, and the classes of the bytes in it. */
static struct str value_at(const struct piece *q, const char *from, const char *end,
			   unsigned char *seen)
{
	const char stop = q->part == XRD_BODY ? '<' : '"', *p = from;
	unsigned char all = 0;
	for (; p < end && *p != '<' && *p != stop; p++)
		all |= xrd_class_of(*p);
	*seen = all;
	return (struct str){ from, (size_t)(p - from) };
}

static uint64_t eight_of(const char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof(x));
	return le64toh(x);
}

/* How many bytes are the same in both. */
static size_t count_same(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t x = eight_of(a + i) ^ eight_of(b + i);
		if (x)
			return i + (size_t)__builtin_ctzll(x) / 8;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

static void add_lines(struct change *c, size_t from, size_t to)
{
	const struct xrd_shape *s = c->s;
	size_t start = s->piece[from].line;
	buf_add(c->to->lines->to, (struct str){ s->lines.p + start, s->piece[to].line - start });
}

/* Puts the lines of values that did not change, and the sender's after the header's. */
static void put_same(struct change *c, size_t from, size_t to)
{
	size_t h = c->s->n_header;
	struct buf *b = c->to->lines->to;
	if (h < from || to < h) {
		add_lines(c, from, to);
		return;
	}
	add_lines(c, from, h);
	size_t n = b->n;
	xrd_put_host(c->to);
	c->host_n = b->n - n;
	add_lines(c, h, to);
}

/* From now on these values are elsewhere in the packet, and their lines in the text. */
static void move(struct change *c, size_t from, size_t to, size_t line)
{
	struct piece *q = c->s->piece;
	uint16_t in = (uint16_t)(c->in - c->at), by = (uint16_t)(line - q[from].line);
	for (size_t i = from; (in || by) && i < to; i++) {
		q[i].begin = (uint16_t)(q[i].begin + in);
		q[i].end = (uint16_t)(q[i].end + in);
		q[i].line = (uint16_t)(q[i].line + by);
	}
}

static size_t line_of(const struct change *c)
{
	return c->to->lines->to->n - c->start - c->host_n;
}

/* False: it is none that put_value() takes. */
static bool put_changed(struct change *c, struct piece *q)
{
	const char *from = c->packet.p + c->in + (q->begin - c->at);
	unsigned char seen;
	struct str value = value_at(q, from, c->packet.p + c->packet.n, &seen);
	size_t line = line_of(c);
	if (seen & XRD_AMPERSAND)
		return false;
	put_value(c->to->lines, c->s, q, value, seen);
	c->at = q->end;
	c->in = (size_t)(from + value.n - c->packet.p);
	q->begin = (uint16_t)(c->in - value.n);
	q->end = (uint16_t)c->in;
	q->line = (uint16_t)line;
	c->changed = true;
	return true;
}

static bool put_all(struct change *c)
{
	struct xrd_shape *s = c->s;
	for (size_t i = 0, k;; i = k + 1) {
		size_t last = s->packet.n - c->at, now = c->packet.n - c->in;
		size_t n = count_same(s->packet.p + c->at, c->packet.p + c->in,
				      last < now ? last : now);
		for (k = i; k < s->n && s->piece[k].end < c->at + n;)
			k++;
		size_t line = line_of(c);
		put_same(c, i, k);
		if (k < s->n && s->piece[k].begin > c->at + n)
			return false;
		move(c, i, k == s->n ? k + 1 : k, line);
		if (k == s->n)
			return n == last && n == now;
		if (!put_changed(c, &s->piece[k]))
			return false;
	}
}

static void remember(struct buf *b, struct str text)
{
	b->n = 0;
	buf_add(b, text);
}

/* Of what was put: all but the sender's line, which may have another name the next time. */
static void keep(const struct change *c)
{
	struct xrd_shape *s = c->s;
	struct str text = str_skip(buf_str(c->to->lines->to), c->start);
	size_t header = s->piece[s->n_header].line;
	remember(&s->packet, c->packet);
	remember(&s->lines, (struct str){ text.p, header });
	buf_add(&s->lines, str_skip(text, header + c->host_n));
}

static bool fits(size_t packet, size_t lines)
{
	return packet <= PACKET_MAX && lines <= LINES_MAX;
}

bool xrd_shape_put(struct xrd_shape *s, struct str packet, const struct xrd_values *to)
{
	struct change c = { .s = s, .to = to, .packet = packet, .start = to->lines->to->n };
	if (s->whole && packet.n <= PACKET_MAX && put_all(&c)) {
		s->whole = fits(packet.n, line_of(&c));
		if (s->whole && c.changed)
			keep(&c);
		return true;
	}
	to->lines->to->n = c.start;
	return false;
}

void xrd_shape_begin(struct xrd_shape *s, struct str packet)
{
	s->keys.n = s->n = s->n_header = 0;
	s->whole = false;
	s->from = packet.n <= PACKET_MAX ? packet.p : NULL;
}

/* A packet with more values or longer keys than the shape has room for gets no shape. */
void xrd_shape_add(struct xrd_shape *s, enum xrd_part part, struct str key, struct str text)
{
	if (s->n == VALUES_MAX || s->keys.n + key.n > KEYS_MAX)
		s->from = NULL;
	if (!s->from)
		return;
	if (s->n % 64 == 0)	/* and one more, where the last one's lines end */
		s->piece = xrealloc(s->piece, (s->n + 65) * sizeof(*s->piece));
	size_t begin = (size_t)(text.p - s->from);
	s->piece[s->n++] = (struct piece){
		.begin = (uint16_t)begin, .end = (uint16_t)(begin + text.n),
		.key = (uint16_t)s->keys.n, .key_n = (uint16_t)key.n, .part = part,
	};
	s->n_header += part == XRD_HEADER;
	buf_add(&s->keys, key);
}

void xrd_shape_give_up(struct xrd_shape *s)
{
	s->from = NULL;
}

void xrd_shape_end(struct xrd_shape *s, struct str packet, const struct xrd_lines *as)
{
	struct xrd_lines to = { &s->lines, as->between, as->after };
	s->lines.n = 0;
	if (!s->from || s->n == 0)
		return;
	remember(&s->packet, packet);
	for (size_t i = 0; i < s->n && s->lines.n <= LINES_MAX; i++) {
		struct piece *q = &s->piece[i];
		unsigned char seen;
		struct str value = value_at(q, packet.p + q->begin, packet.p + q->end, &seen);
		q->line = (uint16_t)s->lines.n;
		put_value(&to, s, q, value, seen);
	}
	s->piece[s->n] = (struct piece){ .line = (uint16_t)s->lines.n };
	s->whole = fits(packet.n, s->lines.n);
}
