/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_streams.h - the interface between xrdstream.c and the readers and writers of streams */
#pragma once

#include <string.h>
#include "base/buf.h"
#include "formats/xrootd/xrdstream_records.h"

/* The functions for a stream. Before open() is called, xrdstream.c has read the common header. */
struct xrd_stream {
	const char *codes;
	int (*open)(struct xrd_packet *p);
	int (*next)(struct xrd_packet *p, struct xrd_record *r);
	/* write the stream's own header; NULL: none */
	void (*begin)(struct buf *b, const struct xrd_packet *p);
	void (*put)(struct buf *b, const struct xrd_record *r);
};

extern const struct xrd_stream xrd_map_stream, xrd_f_stream, xrd_r_stream, xrd_t_stream;
extern const struct xrd_stream xrd_g_stream;

/*
 * Open a g-stream datagram in text form. The first line is the header line, unless the server sends
 * only events. Returns 0 or -EBADMSG.
 */
int xrd_g_open_text(struct str datagram, struct xrd_packet *ret) MUST_CHECK;

#define XRD_SID_MASK (((uint64_t)1 << 48) - 1)

static inline struct str xrd_until_nul(struct str s)
{
	const char *nul = s.n ? memchr(s.p, '\0', s.n) : NULL;
	return (struct str){ s.p, nul ? (size_t)(nul - s.p) : s.n };
}

/* Make *r a record of kind XRD_UNKNOWN, with all bytes of the record in .text. */
static inline void xrd_unknown(struct xrd_record *r, struct str whole)
{
	*r = (struct xrd_record){ .kind = XRD_UNKNOWN, .text = whole };
}

static inline void xrd_pad(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_add_char(b, '\0');
}
