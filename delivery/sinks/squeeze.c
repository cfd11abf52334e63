/* SPDX-License-Identifier: BSD-3-Clause */
/* squeeze.c - compress request bodies: gzip, zstd, snappy */
#include "sinks/squeeze.h"

#include <stdlib.h>

#ifdef HAVE_SNAPPY
#include <snappy-c.h>

static void squeeze_snappy_put(struct buf *to, struct str plain)
{
	size_t n = snappy_max_compressed_length(plain.n);
	buf_reserve(to, n);
	if (snappy_compress(plain.p, plain.n, to->p + to->n, &n) != SNAPPY_OK)
		abort();	/* impossible: the buffer has the room that snappy asks for */
	to->n += n;
}
#else
#define LITERAL_MAX    65536u
#define LITERAL_2BYTES (61u << 2)	/* tag of a literal whose length - 1 follows in two bytes */

static void squeeze_snappy_put(struct buf *to, struct str plain)
{
	size_t n = plain.n;
	for (; n >= 0x80; n >>= 7)
		buf_add_char(to, (char)(n | 0x80));
	buf_add_char(to, (char)n);
	while (plain.n) {
		size_t part = plain.n < LITERAL_MAX ? plain.n : LITERAL_MAX;
		buf_add_char(to, (char)LITERAL_2BYTES);
		buf_add_char(to, (char)(part - 1));
		buf_add_char(to, (char)((part - 1) >> 8));
		buf_add(to, (struct str){ plain.p, part });
		plain = str_skip(plain, part);
	}
}
#endif

const struct squeeze squeeze_snappy = { "snappy", squeeze_snappy_put };

#ifdef HAVE_ZLIB
#include <zlib.h>

/* the lowest compression level: CPU time on the node costs more than network traffic */
#define LEVEL       1
#define GZIP_WINDOW (15 + 16)	/* window of 15 bits; 16 selects the gzip format instead of zlib */

static void squeeze_gzip(struct buf *to, struct str plain)
{
	static z_stream z;	/* kept between calls, because it allocates 256 KB */
	static bool begun;
	if ((begun ? deflateReset(&z) : deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8,
						     Z_DEFAULT_STRATEGY)) != Z_OK)
		abort();	/* out of memory */
	begun = true;
	size_t most = deflateBound(&z, plain.n);
	buf_reserve(to, most);
	z.next_in = (unsigned char *)(uintptr_t)plain.p;
	z.avail_in = (unsigned)plain.n;
	z.next_out = (unsigned char *)to->p + to->n;
	z.avail_out = (unsigned)most;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();	/* impossible: the buffer has the room that zlib asks for */
	to->n += z.total_out;
}
#else
#define squeeze_gzip NULL
#endif

#ifdef HAVE_ZSTD
#include <zstd.h>

static void squeeze_zstd(struct buf *to, struct str plain)
{
	size_t most = ZSTD_compressBound(plain.n);
	buf_reserve(to, most);
	size_t n = ZSTD_compress(to->p + to->n, most, plain.p, plain.n, 1);
	if (ZSTD_isError(n))
		abort();	/* out of memory */
	to->n += n;
}
#else
#define squeeze_zstd NULL
#endif

static const struct squeeze squeeze_methods[] = {
	{ "gzip", squeeze_gzip },
	{ "zstd", squeeze_zstd },
};

const struct squeeze *squeeze_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(squeeze_methods); i++)
		if (str_eq(name, str_of(squeeze_methods[i].name)))
			return &squeeze_methods[i];
	return NULL;
}
