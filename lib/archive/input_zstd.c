/* SPDX-License-Identifier: BSD-3-Clause */
/* input_zstd.c - reads .zst, one frame or several */
#include "archive/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include "base/buf.h"

struct state {
	ZSTD_DStream *z;	/* window 128 MB at most: ZSTD_d_windowLogMax 27, the default */
	size_t hint;		/* 0: at the end of a frame */
};

static void *open_zstd(void)
{
	struct state *s = xrealloc(NULL, sizeof(*s));
	*s = (struct state){ ZSTD_createDStream(), 0 };
	if (!s->z) {
		free(s);
		return NULL;
	}
	return s;
}

static ssize_t read_zstd(void *state, struct packed *in, char *to, size_t n)
{
	struct state *s = state;
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

static void close_zstd(void *state)
{
	struct state *s = state;
	ZSTD_freeDStream(s->z);
	free(s);
}

const struct codec codec_zstd = { open_zstd, read_zstd, close_zstd };
