/* SPDX-License-Identifier: BSD-3-Clause */
/* buf.h - a growable buffer that its owner reuses from sample to sample */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"
#include "base/vec.h"

/* All zero is a valid empty one. Out of memory aborts; whoever fills it from input caps it. */
struct buf {
	char *p;
	size_t n, cap;
};

char *xstrdup(struct str s);

void buf_free(struct buf *b);
COLD void buf_grow(struct buf *b, size_t n);	/* buf_reserve() where there is no room */

static inline void buf_reserve(struct buf *b, size_t n)	/* room for n more bytes after b->n */
{
	if (b->cap - b->n < n)
		buf_grow(b, n);
}

#define U64_DIGITS 20

/* Decimal, of at most U64_DIGITS bytes; returns its end. For who has reserved the room. */
char *u64_put(char *to, uint64_t v);

static inline void buf_add_char(struct buf *b, char c)
{
	buf_reserve(b, 1);
	b->p[b->n++] = c;
}

void buf_add(struct buf *b, struct str s);
/*
 * As one word for records: bytes that are blank, control, not ASCII or a backslash become octal
 * escapes (\040) as in /proc/mounts, nothing becomes "-". escaped: it has its escapes already, its
 * backslashes stay as they are.
 */
void buf_add_word(struct buf *b, struct str word, bool escaped);
void buf_add_quoted(struct buf *b, struct str s, char quote);	/* doubles each quote in s */
void buf_add_u64(struct buf *b, uint64_t v);	/* decimal */
void buf_add_i64(struct buf *b, int64_t v);
/* Seconds and up to six decimals, trailing zeros cut: 1307509201, 1307509201.25. */
void buf_add_time(struct buf *b, int64_t usec);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);

static inline struct str buf_str(const struct buf *b)	/* borrows until b next changes */
{
	return (struct str){ b->p, b->n };
}
