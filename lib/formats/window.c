/* SPDX-License-Identifier: BSD-3-Clause */
/* window.c - a buffer that reads ahead in a source of bytes */
#include "formats/window.h"

#include <string.h>

#define CHUNK_BYTES (64u << 10)

struct str window_ahead(struct window *w, size_t want)
{
	struct buf *b = &w->bytes;
	if (b->n - w->at < want && w->at) {
		memmove(b->p, b->p + w->at, b->n - w->at);
		b->n -= w->at;
		w->offset += w->at;
		w->at = 0;
	}
	while (b->n - w->at < want && !w->ended) {
		buf_reserve(b, CHUNK_BYTES);
		ssize_t n = w->from.read(w->from.arg, b->p + b->n, CHUNK_BYTES);
		w->ended = n <= 0;
		w->error = n < 0 ? (int)n : 0;
		b->n += n > 0 ? (size_t)n : 0;
	}
	return str_skip(buf_str(b), w->at);
}
