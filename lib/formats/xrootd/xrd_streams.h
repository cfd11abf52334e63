/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_streams.h - what each stream of XRootD's monitoring is to xrdstream.c */
#pragma once

#include <string.h>
#include "base/buf.h"
#include "formats/xrootd/xrdstream_records.h"

/* The reader of a stream; p.left is after the common header when open() is called. */
struct xrd_stream {
	const char *codes;
	int (*open)(struct xrd_packet *p);
	int (*next)(struct xrd_packet *p, struct xrd_record *r);
	void (*begin)(struct buf *b, const struct xrd_packet *p);	/* NULL: nothing */
	void (*put)(struct buf *b, const struct xrd_record *r);
};

extern const struct xrd_stream xrd_map_stream, xrd_f_stream, xrd_r_stream, xrd_t_stream;
extern const struct xrd_stream xrd_g_stream;

/* The g-stream as text: its first line, which has what the header has otherwise. 0 or -EBADMSG. */
int xrd_g_open_text(struct str datagram, struct xrd_packet *ret) MUST_CHECK;

#define XRD_SID_MASK (((uint64_t)1 << 48) - 1)

static inline struct str xrd_until_nul(struct str s)
{
	const char *nul = s.n ? memchr(s.p, '\0', s.n) : NULL;
	return (struct str){ s.p, nul ? (size_t)(nul - s.p) : s.n };
}

/* The whole record again, as one of which nothing is known. */
static inline void xrd_unknown(struct xrd_record *r, struct str whole)
{
	*r = (struct xrd_record){ .kind = XRD_UNKNOWN, .text = whole };
}

static inline void xrd_pad(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_add_char(b, '\0');
}
