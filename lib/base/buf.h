/* SPDX-License-Identifier: BSD-3-Clause */
/* buf.h - a growable buffer that its owner reuses from sample to sample */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"
#include "base/vec.h"

/*
 * A growable buffer. All zero is a valid empty buffer. Out of memory aborts, so limit what input
 * can add.
 */
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

/* Write v in decimal, at most U64_DIGITS bytes, without a NUL. Returns the end of the number. */
char *u64_put(char *to, uint64_t v);

static inline void buf_add_char(struct buf *b, char c)
{
	buf_reserve(b, 1);
	b->p[b->n++] = c;
}

void buf_add(struct buf *b, struct str s);
/*
 * Append a word of a record. Blanks, control characters, backslashes and bytes that are not ASCII
 * become octal escapes (\040) as in /proc/mounts; an empty word becomes "-". If escaped is set, the
 * word already has its escapes, and its backslashes are kept.
 */
void buf_add_word(struct buf *b, struct str word, bool escaped);
/* Append the text that a word of a record stands for. An escape of a NUL stays as it is. */
void buf_add_unescaped(struct buf *b, struct str word);
/* Append s in quotes, with each quote in s doubled. */
void buf_add_quoted(struct buf *b, struct str s, char quote);
void buf_add_u64(struct buf *b, uint64_t v);
void buf_add_i64(struct buf *b, int64_t v);
/* Append seconds with up to six decimals and no trailing zeros: 1307509201, 1307509201.25. */
void buf_add_time(struct buf *b, int64_t usec);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);

/* The contents, borrowed until b changes. */
static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p, b->n };
}
