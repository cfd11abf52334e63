/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdstream.c - read and write the datagrams of XRootD's detailed monitoring */
#include "formats/xrootd/xrdstream.h"

#include <assert.h>
#include <errno.h>
#include "formats/xrootd/xrd_streams.h"

static const struct xrd_stream *const streams[] = {
	&xrd_map_stream, &xrd_f_stream, &xrd_r_stream, &xrd_t_stream, &xrd_g_stream,
};

static const struct xrd_stream *xrdstream_find(char code)
{
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		if (code && strchr(streams[i]->codes, code))
			return streams[i];
	return NULL;
}

/*
 * Read the common header (XrdXrootdMonHeader) and the stream's own header. Bytes of the datagram
 * beyond the length in the header are ignored.
 */
static int xrdstream_open_binary(struct str datagram, struct xrd_packet *ret)
{
	struct xrd_packet p = { .left = wire_of(datagram) };
	p.code = (char)wire_u8(&p.left);
	p.seq = wire_u8(&p.left);
	size_t n = wire_u16(&p.left);
	p.start = wire_u32(&p.left);

	const struct xrd_stream *s = xrdstream_find(p.code);
	if (p.left.bad || n < XRD_HEADER || n > datagram.n || !s)
		return -EBADMSG;
	p.left.n = n - XRD_HEADER;
	int r = s->open(&p);
	if (r < 0)
		return r;
	*ret = p;
	return 0;
}

int xrd_open(struct str datagram, struct xrd_packet *ret)
{
	if (str_peek(datagram) == '<' || str_starts(datagram, STR("{\"statistics\"")))
		return -ENOMSG;
	if (str_peek(datagram) == '{' || str_starts(datagram, STR("code=")))
		return xrd_g_open_text(datagram, ret);
	return xrdstream_open_binary(datagram, ret);
}

int xrd_next(struct xrd_packet *p, struct xrd_record *ret)
{
	struct xrd_record r = { .kind = XRD_UNKNOWN };
	const struct xrd_stream *s = xrdstream_find(p->form == XRD_BINARY ? p->code : 'g');
	int n = s->next(p, &r);
	if (n > 0)
		*ret = r;
	else
		p->left.n = 0;
	return n;
}

uint32_t xrd_release(struct str version)
{
	uint64_t n[3] = { 0 };
	str_take_prefix(&version, STR("v"));
	if (!str_take_u64(&version, &n[0]) || !str_take_prefix(&version, STR(".")) ||
	    !str_take_u64(&version, &n[1]))
		return 0;
	if (str_take_prefix(&version, STR(".")))
		/* a missing number stays 0, as in "v5.7.rc1" */
		(void)str_take_u64(&version, &n[2]);
	if (n[0] > 99 || n[1] > 999 || n[2] > 999)
		return 0;
	return (uint32_t)XRD_RELEASE(n[0], n[1], n[2]);
}

void xrd_begin(struct buf *b, const struct xrd_packet *p)
{
	assert(b->n == 0 && p->form == XRD_BINARY);
	wire_put(b, (unsigned char)p->code, 1);
	wire_put(b, p->seq, 1);
	wire_put(b, 0, 2);
	wire_put(b, p->start, 4);
	const struct xrd_stream *s = xrdstream_find(p->code);
	if (s->begin)
		s->begin(b, p);
}

void xrd_put(struct buf *b, const struct xrd_packet *p, const struct xrd_record *r)
{
	if (r->kind == XRD_UNKNOWN)
		buf_add(b, r->text);
	else
		xrdstream_find(p->code)->put(b, r);
}

int xrd_end(struct buf *b, const struct xrd_packet *p)
{
	if (p->code == 'g')
		buf_add_char(b, '\0');
	if (b->n > XRD_MAX)
		return -EMSGSIZE;
	b->p[2] = (char)(b->n >> 8);
	b->p[3] = (char)b->n;
	return 0;
}
