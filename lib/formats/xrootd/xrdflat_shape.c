/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_shape.c - read a packet by comparing it with the server's last packet */
#include "formats/xrootd/xrdflat_shape.h"

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/xrootd/xrdflat_parts.h"

/*
 * Largest numbers of templates, and of values in one. A template takes up to 46 KB, all templates
 * up to 47 MB. Packets of XRootD 5.5 have 8 KB.
 */
#define SHAPES     1024
#define VALUES_MAX 512
#define PACKET_MAX 8192
#define LINES_MAX  16384
#define KEYS_MAX   16384

/* A value: its offsets in the packet, and the offset of its lines in the output. */
struct xrd_shape_value {
	uint16_t begin, end, line;
	uint16_t key, key_n;		/* key in .keys; empty: no output */
	uint16_t part;			/* enum xrd_part */
};

struct xrd_shape {
	/* the last packet; its output without the host's line; all keys, one after the other */
	struct buf packet, lines, keys;
	struct xrd_shape_value *piece;
	size_t n, n_header;
	const char *from;		/* packet that the template is being made from, or NULL */
	bool whole;			/* the template is complete */
};

struct xrd_shapes {
	struct xrd_shape shape[SHAPES];
};

/* State while a packet is compared with the last packet. */
struct xrd_shape_change {
	struct xrd_shape *s;
	const struct xrd_values *to;
	struct str packet;
	/*
	 * offsets up to which the packets were compared, in the last packet and in the new packet
	 */
	size_t at, in;
	/* offset of the output in the buffer; size of the host's line */
	size_t start, host_n;
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

/* Return a part of a buffer. .p of an empty buffer is NULL. */
static struct str shape_part(const struct buf *b, size_t from, size_t n)
{
	return n ? (struct str){ b->p + from, n } : STR("");
}

static void shape_put_line(void *arg, struct str key, struct str value)
{
	const struct xrd_lines *l = arg;
	buf_add(l->to, key);
	buf_add_char(l->to, l->between);
	buf_add(l->to, value);
	buf_add_char(l->to, l->after);
}

/* Put a value exactly as xrdflat.c does. */
static void shape_put_value(const struct xrd_lines *to, const struct xrd_shape *s,
			    const struct xrd_shape_value *q, struct str value, unsigned char seen)
{
	struct str key = shape_part(&s->keys, q->key, q->key_n);
	struct xrd_lines lines = *to;
	const struct xrd_values words = { .put = shape_put_line, .arg = &lines };
	if (key.n == 0 || value.n == 0)
		return;
	if (!(seen & (XRD_BREAK | XRD_QUOTE)))
		shape_put_line(&lines, key, value);
	else if (q->part == XRD_BODY)
		xrd_put_text(&words, key, value);
	else
		xrd_put_attribute(&words, key, value);
}

/*
 * Return the value that begins at `from`. *seen gets the classes of all its bytes, a mask of
 * XRD_BREAK and so on.
 */
static struct str shape_value_at(const struct xrd_shape_value *q, const char *from, const char *end,
				 unsigned char *seen)
{
	const char stop = q->part == XRD_BODY ? '<' : '"', *p = from;
	unsigned char all = 0;
	for (; p < end && *p != '<' && *p != stop; p++)
		all |= xrd_class_of(*p);
	*seen = all;
	return (struct str){ from, (size_t)(p - from) };
}

static uint64_t shape_load_eight(const char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof(x));
	return le64toh(x);
}

/* Return the length of the common start of a and b. */
static size_t shape_count_same(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t x = shape_load_eight(a + i) ^ shape_load_eight(b + i);
		if (x)
			return i + (size_t)__builtin_ctzll(x) / 8;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

static void shape_add_lines(struct xrd_shape_change *c, size_t from, size_t to)
{
	const struct xrd_shape *s = c->s;
	size_t start = s->piece[from].line;
	buf_add(c->to->lines->to, shape_part(&s->lines, start, s->piece[to].line - start));
}

/* Put the lines of unchanged values, and the host's line after the header. */
static void shape_put_same(struct xrd_shape_change *c, size_t from, size_t to)
{
	size_t h = c->s->n_header;
	struct buf *b = c->to->lines->to;
	if (h < from || to < h) {
		shape_add_lines(c, from, to);
		return;
	}
	shape_add_lines(c, from, h);
	size_t n = b->n;
	xrd_put_host(c->to);
	c->host_n = b->n - n;
	shape_add_lines(c, h, to);
}

/* Adjust the offsets of unchanged values. */
static void shape_move(struct xrd_shape_change *c, size_t from, size_t to, size_t line)
{
	struct xrd_shape_value *q = c->s->piece;
	uint16_t in = (uint16_t)(c->in - c->at), by = (uint16_t)(line - q[from].line);
	for (size_t i = from; (in || by) && i < to; i++) {
		q[i].begin = (uint16_t)(q[i].begin + in);
		q[i].end = (uint16_t)(q[i].end + in);
		q[i].line = (uint16_t)(q[i].line + by);
	}
}

static size_t shape_output_offset(const struct xrd_shape_change *c)
{
	return c->to->lines->to->n - c->start - c->host_n;
}

/* Put a value that has changed. Returns false if it contains an entity. */
static bool shape_put_changed(struct xrd_shape_change *c, struct xrd_shape_value *q)
{
	const char *from = c->packet.p + c->in + (q->begin - c->at);
	unsigned char seen;
	struct str value = shape_value_at(q, from, c->packet.p + c->packet.n, &seen);
	size_t line = shape_output_offset(c);
	if (seen & XRD_AMPERSAND)
		return false;
	shape_put_value(c->to->lines, c->s, q, value, seen);
	c->at = q->end;
	c->in = (size_t)(from + value.n - c->packet.p);
	q->begin = (uint16_t)(c->in - value.n);
	q->end = (uint16_t)c->in;
	q->line = (uint16_t)line;
	c->changed = true;
	return true;
}

static bool shape_put_all(struct xrd_shape_change *c)
{
	struct xrd_shape *s = c->s;
	for (size_t i = 0, k;; i = k + 1) {
		size_t last = s->packet.n - c->at, now = c->packet.n - c->in;
		size_t n = shape_count_same(s->packet.p + c->at, c->packet.p + c->in,
					    last < now ? last : now);
		for (k = i; k < s->n && s->piece[k].end < c->at + n;)
			k++;
		size_t line = shape_output_offset(c);
		shape_put_same(c, i, k);
		if (k < s->n && s->piece[k].begin > c->at + n)
			return false;
		shape_move(c, i, k == s->n ? k + 1 : k, line);
		if (k == s->n)
			return n == last && n == now;
		if (!shape_put_changed(c, &s->piece[k]))
			return false;
	}
}

static void shape_remember(struct buf *b, struct str text)
{
	b->n = 0;
	buf_add(b, text);
}

/*
 * Store the packet and its output, to compare the next packet with it. The output is stored without
 * the host's line, because the host may change.
 */
static void shape_keep(const struct xrd_shape_change *c)
{
	struct xrd_shape *s = c->s;
	struct str text = str_skip(buf_str(c->to->lines->to), c->start);
	size_t header = s->piece[s->n_header].line;
	shape_remember(&s->packet, c->packet);
	shape_remember(&s->lines, (struct str){ text.p, header });
	buf_add(&s->lines, str_skip(text, header + c->host_n));
}

static bool shape_fits(size_t packet, size_t lines)
{
	return packet <= PACKET_MAX && lines <= LINES_MAX;
}

bool xrd_shape_put(struct xrd_shape *s, struct str packet, const struct xrd_values *to)
{
	struct xrd_shape_change c = { .s = s, .to = to, .packet = packet,
				     .start = to->lines->to->n };
	if (s->whole && packet.n <= PACKET_MAX && shape_put_all(&c)) {
		s->whole = shape_fits(packet.n, shape_output_offset(&c));
		if (s->whole && c.changed)
			shape_keep(&c);
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

/* Add a value. Give up if there are too many values, or the keys are too long. */
void xrd_shape_add(struct xrd_shape *s, enum xrd_part part, struct str key, struct str text)
{
	if (s->n == VALUES_MAX || s->keys.n + key.n > KEYS_MAX)
		s->from = NULL;
	if (!s->from)
		return;
	if (s->n % 64 == 0)	/* one element more, for the end of the last value's lines */
		s->piece = xrealloc(s->piece, (s->n + 65) * sizeof(*s->piece));
	size_t begin = (size_t)(text.p - s->from);
	s->piece[s->n++] = (struct xrd_shape_value){
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
	shape_remember(&s->packet, packet);
	for (size_t i = 0; i < s->n && s->lines.n <= LINES_MAX; i++) {
		struct xrd_shape_value *q = &s->piece[i];
		unsigned char seen;
		struct str value = shape_value_at(q, packet.p + q->begin, packet.p + q->end, &seen);
		q->line = (uint16_t)s->lines.n;
		shape_put_value(&to, s, q, value, seen);
	}
	s->piece[s->n] = (struct xrd_shape_value){ .line = (uint16_t)s->lines.n };
	s->whole = shape_fits(packet.n, s->lines.n);
}
