/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_t.c - the t-stream: each request of a client, in entries of 16 bytes */
#include <errno.h>
#include "formats/xrootd/xrd_streams.h"

enum {
	MON_OPEN = 0x80, MON_READV = 0x90, MON_READU = 0x91, MON_APPID = 0xa0, MON_CLOSE = 0xc0,
	MON_DISC = 0xd0, MON_WINDOW = 0xe0,
	ENTRY = 16, APPID_BYTES = 12, SHIFT_MAX = 31,
};

/* Open the packet. The server id is known if the packet begins with a window. */
static int xrd_t_open(struct xrd_packet *p)
{
	struct wire w = p->left;
	p->has_sid = w.n >= ENTRY && *w.p == MON_WINDOW;
	wire_bytes(&w, 2);
	p->sid = p->has_sid ? wire_uint(&w, 6) : 0;
	return 0;
}

static void xrd_t_take_open(struct wire *w, struct xrd_record *r)
{
	r->kind = XRD_OPEN;
	wire_bytes(w, 1);
	r->size = (int64_t)wire_uint(w, 7);
	wire_bytes(w, 4);
	r->id = wire_u32(w);
}

static void xrd_t_take_readv(struct wire *w, struct xrd_record *r)
{
	r->kind = XRD_READV;
	r->unpacked = wire_u8(w) == MON_READU;
	r->vector = wire_u8(w);
	r->segments = wire_u16(w);
	wire_bytes(w, 4);
	r->length = (int32_t)wire_u32(w);
	r->id = wire_u32(w);
}

static void xrd_t_take_appid(struct wire *w, struct xrd_record *r)
{
	r->kind = XRD_APPID;
	wire_bytes(w, 4);
	r->text = xrd_until_nul(wire_bytes(w, APPID_BYTES));
}

/*
 * Read a close entry. The server shifts the totals of bytes to the right until they fit into 32
 * bits. An invalid shift sets w->bad.
 */
static void xrd_t_take_close(struct wire *w, struct xrd_record *r)
{
	r->kind = XRD_CLOSE;
	wire_bytes(w, 1);
	r->read_shift = wire_u8(w);
	r->write_shift = wire_u8(w);
	wire_bytes(w, 1);
	int64_t read = wire_u32(w), write = wire_u32(w);
	r->id = wire_u32(w);
	if (r->read_shift > SHIFT_MAX || r->write_shift > SHIFT_MAX) {
		w->bad = true;
		return;
	}
	r->read = read << r->read_shift;
	r->write = write << r->write_shift;
}

static void xrd_t_take_disc(struct wire *w, struct xrd_record *r)
{
	r->kind = XRD_DISC;
	wire_bytes(w, 1);
	r->flags = wire_u8(w);
	wire_bytes(w, 6);
	r->seconds = wire_u32(w);
	r->id = wire_u32(w);
}

static void xrd_t_take_window(struct wire *w, struct xrd_record *r)
{
	r->kind = XRD_WINDOW;
	wire_bytes(w, 2);
	r->sid = wire_uint(w, 6);
	r->window_end = wire_u32(w);	/* end of the previous window */
	r->window_begin = wire_u32(w);
}

static void xrd_t_take_io(struct wire *w, struct xrd_record *r)
{
	r->kind = XRD_IO;
	r->offset = (int64_t)wire_u64(w);
	r->length = (int32_t)wire_u32(w);
	r->id = wire_u32(w);
}

static int xrd_t_next(struct xrd_packet *p, struct xrd_record *r)
{
	if (p->left.n == 0)
		return 0;
	struct str whole = wire_bytes(&p->left, ENTRY);
	struct wire w = wire_of(whole);
	if (p->left.bad)
		return -EBADMSG;
	switch (*w.p) {
	case MON_OPEN:   xrd_t_take_open(&w, r); break;
	case MON_READV:
	case MON_READU:  xrd_t_take_readv(&w, r); break;
	case MON_APPID:  xrd_t_take_appid(&w, r); break;
	case MON_CLOSE:  xrd_t_take_close(&w, r); break;
	case MON_DISC:   xrd_t_take_disc(&w, r); break;
	case MON_WINDOW: xrd_t_take_window(&w, r); break;
	default:
		if (*w.p < MON_OPEN)
			xrd_t_take_io(&w, r);
		else
			xrd_unknown(r, whole);
	}
	if (w.bad)
		xrd_unknown(r, whole);
	return 1;
}

static void xrd_t_put_close(struct buf *b, const struct xrd_record *r)
{
	wire_put(b, MON_CLOSE, 1);
	wire_put(b, r->read_shift, 1);
	wire_put(b, r->write_shift, 1);
	wire_put(b, 0, 1);
	wire_put(b, (uint64_t)r->read >> r->read_shift, 4);
	wire_put(b, (uint64_t)r->write >> r->write_shift, 4);
	wire_put(b, r->id, 4);
}

/* Write an entry of 8, 4 and 4 bytes. */
static void xrd_t_put_entry(struct buf *b, uint64_t first, uint64_t second, uint64_t third)
{
	wire_put(b, first, 8);
	wire_put(b, second, 4);
	wire_put(b, third, 4);
}

static uint64_t xrd_t_kind_byte(unsigned kind)
{
	return (uint64_t)kind << 56;
}

static void xrd_t_put_appid(struct buf *b, const struct xrd_record *r)
{
	struct str s = { r->text.p, r->text.n < APPID_BYTES ? r->text.n : APPID_BYTES };
	wire_put(b, (uint64_t)MON_APPID << 24, 4);
	buf_add(b, s);
	xrd_pad(b, APPID_BYTES - s.n);
}

static void xrd_t_put_readv(struct buf *b, const struct xrd_record *r)
{
	uint64_t kind = xrd_t_kind_byte(r->unpacked ? MON_READU : MON_READV);
	xrd_t_put_entry(b, kind | (uint64_t)r->vector << 48 | (uint64_t)r->segments << 32,
			(uint32_t)r->length, r->id);
}

static void xrd_t_put(struct buf *b, const struct xrd_record *r)
{
	switch (r->kind) {
	case XRD_OPEN:
		xrd_t_put_entry(b, xrd_t_kind_byte(MON_OPEN) | (uint64_t)r->size, 0, r->id);
		break;
	case XRD_CLOSE:
		xrd_t_put_close(b, r);
		break;
	case XRD_DISC:
		xrd_t_put_entry(b, xrd_t_kind_byte(MON_DISC) | (uint64_t)r->flags << 48, r->seconds,
				r->id);
		break;
	case XRD_WINDOW:
		xrd_t_put_entry(b, xrd_t_kind_byte(MON_WINDOW) | r->sid, r->window_end,
				r->window_begin);
		break;
	case XRD_READV:
		xrd_t_put_readv(b, r);
		break;
	case XRD_APPID:
		xrd_t_put_appid(b, r);
		break;
	default:
		xrd_t_put_entry(b, (uint64_t)r->offset, (uint32_t)r->length, r->id);
	}
}

const struct xrd_stream xrd_t_stream = {
	.codes = "t", .open = xrd_t_open, .next = xrd_t_next, .put = xrd_t_put,
};
