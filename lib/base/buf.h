/* SPDX-License-Identifier: BSD-3-Clause */
/* buf.h - a growable buffer that its owner reuses from sample to sample */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"
#include "base/vec.h"

/* A growable buffer. All zero is empty. Aborts if out of memory, so limit what input can add. */
struct buf {
	char *p;
	size_t n, cap;
};

char *xstrdup(struct str s);

void buf_free(struct buf *b);
/* The slow path of buf_reserve(). */
COLD void buf_grow(struct buf *b, size_t n);

/* Make room for n bytes after b->n. */
static inline void buf_reserve(struct buf *b, size_t n)
{
	if (b->cap - b->n < n)
		buf_grow(b, n);
}

#define U64_DIGITS 20

/*
 * Write v in decimal, without a NUL. `to` must have room for U64_DIGITS bytes even if the number is
 * short, because the bytes after the number are overwritten. Returns the end of the number.
 */
char *u64_put(char *to, uint64_t v);

static inline void buf_add_char(struct buf *b, char c)
{
	buf_reserve(b, 1);
	b->p[b->n++] = c;
}

void buf_add(struct buf *b, struct str s);
/*
 * Append a word of a record. Blanks, control characters, backslashes and bytes beyond ASCII become
 * octal escapes (\040) as in /proc/mounts; an empty word becomes "-". If `escaped` is true, the
 * word already has its escapes and is not escaped again.
 */
void buf_add_word(struct buf *b, struct str word, bool escaped);
/* Append a word of a record with its escapes decoded. An escaped NUL stays escaped. */
void buf_add_unescaped(struct buf *b, struct str word);
/* Append s in quotes, and double each quote in s. */
void buf_add_quoted(struct buf *b, struct str s, char quote);
void buf_add_u64(struct buf *b, uint64_t v);
void buf_add_i64(struct buf *b, int64_t v);
/*
 * Append a time of at least 0 as seconds with up to six decimals and no trailing zeros: 1307509201,
 * 1307509201.25.
 */
void buf_add_time(struct buf *b, int64_t usec);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);

/* Return the contents, valid until b changes. */
static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p, b->n };
}
