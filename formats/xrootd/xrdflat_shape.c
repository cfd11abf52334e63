/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_shape.c - what the packets of a server have in common: all but the values */
#include "formats/xrootd/xrdflat_shape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "formats/xrootd/xrdflat_parts.h"

/* 26 KB each at most, so 27 MB in all, if servers do their worst; those of 5.5 make 4 KB. */
#define SHAPES     1024
#define VALUES_MAX 512
#define TAGS_MAX   8192
#define KEYS_MAX   16384

/* What stands before a value, and the value's key. */
struct shape_piece {
	uint16_t tags, key;	/* bytes of .tags and .keys */
};

struct xrd_shape {
	struct buf tags, keys;
	struct shape_piece *piece;
	size_t n;
	bool whole;		/* learnt to its end */
	const char *at;		/* in what it is learnt from: behind the last value */
};

struct xrd_shapes {
	struct xrd_shape shape[SHAPES];
	struct str value[VALUES_MAX];	/* of the packet that is read */
	unsigned char seen[VALUES_MAX];	/* classes of the bytes in them */
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
		buf_free(&all->shape[i].tags);
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

static bool find_values(struct xrd_shapes *all, const struct xrd_shape *s, struct str body)
{
	const char *p = body.p, *end = body.p + body.n, *tags = s->tags.p;
	unsigned char entity = 0;
	for (size_t i = 0; i < s->n; i++) {
		size_t n = s->piece[i].tags;
		unsigned char seen = 0;
		if ((size_t)(end - p) < n || memcmp(p, tags, n) != 0)
			return false;
		tags += n;
		p += n;
		const char *from = p;
		while (p < end && *p != '<')
			seen |= xrd_class_of(*p++);
		all->value[i] = (struct str){ from, (size_t)(p - from) };
		all->seen[i] = seen;
		entity |= seen;
	}
	size_t n = (size_t)(s->tags.p + s->tags.n - tags);
	return (size_t)(end - p) == n && memcmp(p, tags, n) == 0 && !(entity & XRD_AMPERSAND);
}

bool xrd_shape_put(struct xrd_shapes *all, const struct xrd_shape *s, struct str body,
		   const struct xrd_values *to)
{
	struct str key = { s->keys.p, 0 };
	if (!s->whole || !find_values(all, s, body))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		key.n = s->piece[i].key;
		if (key.n && all->value[i].n) {
			if (all->seen[i] & (XRD_BREAK | XRD_QUOTE))
				xrd_put_text(to, key, all->value[i]);
			else
				to->put(to->arg, key, all->value[i]);
		}
		key.p += key.n;
	}
	return true;
}

void xrd_shape_begin(struct xrd_shape *s, const char *body)
{
	s->tags.n = s->keys.n = s->n = 0;
	buf_reserve(&s->tags, 1);	/* no NULL, however little there is */
	buf_reserve(&s->keys, 1);
	s->whole = false;
	s->at = body;
}

static bool add_tags(struct xrd_shape *s, const char *end)
{
	struct str tags = { s->at, s->at ? (size_t)(end - s->at) : 0 };
	if (!s->at || s->tags.n + tags.n > TAGS_MAX)
		return false;
	buf_add(&s->tags, tags);
	return true;
}

/* What is too large for us is given up: .at is NULL then. */
void xrd_shape_add(struct xrd_shape *s, struct str key, struct str text)
{
	size_t tags = s->tags.n;
	if (s->n == VALUES_MAX || s->keys.n + key.n > KEYS_MAX || !add_tags(s, text.p)) {
		s->at = NULL;
		return;
	}
	if (s->n % 64 == 0)
		s->piece = xrealloc(s->piece, (s->n + 64) * sizeof(*s->piece));
	buf_add(&s->keys, key);
	s->piece[s->n++] = (struct shape_piece){ (uint16_t)(s->tags.n - tags), (uint16_t)key.n };
	s->at = text.p + text.n;
}

void xrd_shape_end(struct xrd_shape *s, const char *end)
{
	s->whole = add_tags(s, end);
}
