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
	/* last result of ZSTD_decompressStream(); 0: a frame has just ended */
	size_t hint;
};

/*
 * The decoder of the file that was closed last, for use by the next file, so that its window is not
 * allocated again. A decoder of more than SPARE_BYTES is freed instead. Programs with several
 * threads must not use this.
 */
#define SPARE_BYTES (16u << 20)
static ZSTD_DStream *zstd_spare;

static void *zstd_open(void)
{
	struct zstd_state *s = xrealloc(NULL, sizeof(*s));
	*s = (struct zstd_state){ zstd_spare ? zstd_spare : ZSTD_createDStream(), 0 };
	zstd_spare = NULL;
	if (!s->z || ZSTD_isError(ZSTD_initDStream(s->z))) {
		ZSTD_freeDStream(s->z);
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
	if (zstd_spare || ZSTD_sizeof_DStream(s->z) > SPARE_BYTES)
		ZSTD_freeDStream(s->z);
	else
		zstd_spare = s->z;
	free(s);
}

const struct codec codec_zstd = { zstd_open, zstd_read, zstd_close_state };
