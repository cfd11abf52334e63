/* SPDX-License-Identifier: BSD-3-Clause */
/* input_zstd.c - read .zst files with one or more frames */
#include "archive/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include "base/buf.h"

struct zstd_state {
	/* accepts windows up to 128 MB, the default of ZSTD_d_windowLogMax (27) */
	ZSTD_DStream *z;
	/* last result of ZSTD_decompressStream(), 0 at the end of a frame */
	size_t hint;
};

static void *zstd_open(void)
{
	struct zstd_state *s = xrealloc(NULL, sizeof(*s));
	*s = (struct zstd_state){ ZSTD_createDStream(), 0 };
	if (!s->z) {
		free(s);
		return NULL;
	}
	return s;
}

static ssize_t zstd_read(void *state, struct packed *in, char *to, size_t n)
{
	struct zstd_state *s = state;
	ZSTD_outBuffer out = { to, n, 0 };
	for (;;) {
		int r = packed_fill(in);
		if (r < 0)
			return r;

		ZSTD_inBuffer from = { in->bytes + in->at, in->n, 0 };
		if (r > 0 || s->hint)
			s->hint = ZSTD_decompressStream(s->z, &out, &from);
		if (ZSTD_isError(s->hint))
			return -EILSEQ;
		in->at += from.pos;
		in->n -= from.pos;
		if (out.pos)
			return (ssize_t)out.pos;
		if (r == 0)
			return s->hint ? -ENODATA : 0;
	}
}

static void zstd_close_state(void *state)
{
	struct zstd_state *s = state;
	ZSTD_freeDStream(s->z);
	free(s);
}

const struct codec codec_zstd = { zstd_open, zstd_read, zstd_close_state };
