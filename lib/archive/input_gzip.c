/* SPDX-License-Identifier: BSD-3-Clause */
/* input_gzip.c - read .gz files with one or more members */
#include "archive/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include "base/buf.h"

struct gzip_state {
	z_stream z;
	bool inside;	/* a member of the file has begun and has not ended */
};

static void *gzip_open(void)
{
	struct gzip_state *s = xrealloc(NULL, sizeof(*s));
	*s = (struct gzip_state){ 0 };
	if (inflateInit2(&s->z, 15 + 16) != Z_OK) {	/* 15: the largest window; 16: gzip only */
		free(s);
		return NULL;
	}
	return s;
}

static ssize_t gzip_read(void *state, struct packed *in, char *to, size_t n)
{
	struct gzip_state *s = state;
	s->z.next_out = (unsigned char *)to;
	s->z.avail_out = (unsigned)n;
	for (;;) {
		int r = packed_fill(in);
		if (r < 0)
			return r;
		if (r == 0)
			return s->inside ? -ENODATA : 0;

		s->z.next_in = (unsigned char *)in->bytes + in->at;
		s->z.avail_in = (unsigned)in->n;
		int z = inflate(&s->z, Z_NO_FLUSH);
		if (z != Z_OK && z != Z_STREAM_END && z != Z_BUF_ERROR)
			return -EILSEQ;
		in->at += in->n - s->z.avail_in;
		in->n = s->z.avail_in;
		s->inside = z != Z_STREAM_END;
		if (z == Z_STREAM_END)
			inflateReset(&s->z);
		if (s->z.avail_out < n)
			return (ssize_t)(n - s->z.avail_out);
	}
}

static void gzip_close_state(void *state)
{
	struct gzip_state *s = state;
	inflateEnd(&s->z);
	free(s);
}

const struct codec codec_gzip = { gzip_open, gzip_read, gzip_close_state };
