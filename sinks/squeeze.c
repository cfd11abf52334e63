/* SPDX-License-Identifier: BSD-3-Clause */
/* squeeze.c - bodies are compressed: gzip, and the framing of snappy */
#include "sinks/squeeze.h"

#include <stdlib.h>

#define LITERAL_MAX    65536u
#define LITERAL_2BYTES (61u << 2)	/* a literal whose length - 1 is in the next two bytes */

void squeeze_snappy(struct buf *to, struct str plain)
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

#ifdef HAVE_ZLIB
#include <zlib.h>

#define LEVEL       1		/* of 9: the node's time is dearer than the wire */
#define GZIP_WINDOW (15 + 16)	/* as gzip, not zlib */

bool squeeze_can_gzip(void)
{
	return true;
}

void squeeze_gzip(struct buf *to, struct str plain)
{
	z_stream z = { 0 };
	if (deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();	/* no memory */
	size_t most = deflateBound(&z, plain.n);
	buf_reserve(to, most);
	z.next_in = (unsigned char *)(uintptr_t)plain.p;
	z.avail_in = (unsigned)plain.n;
	z.next_out = (unsigned char *)to->p + to->n;
	z.avail_out = (unsigned)most;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();	/* it has the room that it asked for */
	to->n += z.total_out;
	deflateEnd(&z);
}
#else
bool squeeze_can_gzip(void)
{
	return false;
}

void squeeze_gzip(struct buf *to, struct str plain)
{
	buf_add(to, plain);
}
#endif
