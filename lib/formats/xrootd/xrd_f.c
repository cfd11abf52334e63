/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_f.c - the f-stream: files opened and closed, and bytes read and written */
#include <errno.h>
#include "formats/xrootd/xrd_streams.h"

/* XrdXrootdMonFileHdr::recType, from XrdXrootdMonData.hh of 5.5.3. */
enum { IS_CLOSE, IS_OPEN, IS_TIME, IS_XFR, IS_DISC, N_TYPES };

enum { HEAD_BYTES = 8, TIME_BYTES = 24, OPEN_BYTES = 16, OPS_BYTES = 48, SSQ_BYTES = 32,
	XFR_BYTES = 32, LFN_ALIGN = 4 };

static void xrd_f_take_close(struct wire *w, struct xrd_record *r);
static void xrd_f_take_open(struct wire *w, struct xrd_record *r);
static void xrd_f_take_time(struct wire *w, struct xrd_record *r);
static void xrd_f_take_xfr(struct wire *w, struct xrd_record *r);

static const struct {
	enum xrd_kind kind;
	void (*take)(struct wire *w, struct xrd_record *r);
} xrd_f_types[N_TYPES] = {
	[IS_CLOSE] = { XRD_CLOSE,  xrd_f_take_close },
	[IS_OPEN]  = { XRD_OPEN,   xrd_f_take_open  },
	[IS_TIME]  = { XRD_WINDOW, xrd_f_take_time  },
	[IS_XFR]   = { XRD_XFR,    xrd_f_take_xfr   },
	[IS_DISC]  = { XRD_DISC,   NULL       },
};

static void xrd_f_take_xfr(struct wire *w, struct xrd_record *r)
{
	r->read = (int64_t)wire_u64(w);
	r->readv = (int64_t)wire_u64(w);
	r->write = (int64_t)wire_u64(w);
}

/* Read the structure XrdXrootdMonStatOPS. */
static void xrd_f_take_ops(struct wire *w, struct xrd_ops *o)
{
	o->read = (int32_t)wire_u32(w);
	o->readv = (int32_t)wire_u32(w);
	o->write = (int32_t)wire_u32(w);
	o->segments_min = (int16_t)wire_u16(w);
	o->segments_max = (int16_t)wire_u16(w);
	o->segments = (int64_t)wire_u64(w);
	o->read_min = (int32_t)wire_u32(w);
	o->read_max = (int32_t)wire_u32(w);
	o->readv_min = (int32_t)wire_u32(w);
	o->readv_max = (int32_t)wire_u32(w);
	o->write_min = (int32_t)wire_u32(w);
	o->write_max = (int32_t)wire_u32(w);
}

static void xrd_f_take_close(struct wire *w, struct xrd_record *r)
{
	xrd_f_take_xfr(w, r);
	if (r->flags & XRD_HAS_OPS)
		xrd_f_take_ops(w, &r->ops);
	if (!(r->flags & XRD_HAS_SSQ))
		return;
	r->ssq.read = wire_double(w);
	r->ssq.readv = wire_double(w);
	r->ssq.segments = wire_double(w);
	r->ssq.write = wire_double(w);
}

/* Read an open record. The path ends with 5 to 8 NULs, which align the next record. */
static void xrd_f_take_open(struct wire *w, struct xrd_record *r)
{
	r->size = (int64_t)wire_u64(w);
	if (!(r->flags & XRD_HAS_LFN))
		return;
	r->user = wire_u32(w);
	r->text = xrd_until_nul(wire_bytes(w, w->n));
}

/*
 * Read a time record. Its .id consists of two numbers of records. Old servers send no server id,
 * and do not set flag hasSID.
 */
static void xrd_f_take_time(struct wire *w, struct xrd_record *r)
{
	r->window_begin = wire_u32(w);
	r->window_end = wire_u32(w);
	if (r->flags & XRD_HAS_SID)
		r->sid = wire_u64(w) & XRD_SID_MASK;
}

/*
 * Read a record. Field recSize leads to the next record even if the type is unknown (XRootD's
 * System Monitoring Reference, 3.4).
 */
static int xrd_f_next(struct xrd_packet *p, struct xrd_record *r)
{
	struct wire *w = &p->left, head = *w;
	if (w->n == 0)
		return 0;
	uint8_t type = wire_u8(&head);
	uint8_t flags = wire_u8(&head);
	struct wire one = wire_of(wire_bytes(w, wire_u16(&head)));
	struct str whole = { (const char *)one.p, one.n };

	r->flags = flags;
	wire_bytes(&one, 4);
	r->id = wire_u32(&head);
	if (w->bad || one.bad)
		return -EBADMSG;
	if (type >= N_TYPES) {
		xrd_unknown(r, whole);
		return 1;
	}
	r->kind = xrd_f_types[type].kind;
	wire_bytes(&one, 4);
	if (xrd_f_types[type].take)
		xrd_f_types[type].take(&one, r);
	if (one.bad)	/* the record is shorter than its type and flags require */
		xrd_unknown(r, whole);
	else
		r->rest = (struct str){ (const char *)one.p, one.n };
	return 1;
}

static int xrd_f_open_packet(struct xrd_packet *p)
{
	struct xrd_record r = { .kind = XRD_UNKNOWN };
	if (xrd_f_next(p, &r) <= 0 || r.kind != XRD_WINDOW)
		return -EBADMSG;
	p->has_sid = r.flags & XRD_HAS_SID;
	p->sid = r.sid;
	p->begin = r.window_begin;
	p->end = r.window_end;
	p->n_xfr = (uint16_t)(r.id >> 16);
	p->n_all = (uint16_t)r.id;
	return 0;
}

static void xrd_f_put_head(struct buf *b, uint8_t type, const struct xrd_record *r, size_t size)
{
	wire_put(b, type, 1);
	wire_put(b, r->flags, 1);
	wire_put(b, size + r->rest.n, 2);
	wire_put(b, r->id, 4);
}

static void xrd_f_put_time(struct buf *b, const struct xrd_record *r)
{
	xrd_f_put_head(b, IS_TIME, r, TIME_BYTES - (r->flags & XRD_HAS_SID ? 0 : 8));
	wire_put(b, r->window_begin, 4);
	wire_put(b, r->window_end, 4);
	if (r->flags & XRD_HAS_SID)
		wire_put(b, r->sid, 8);
}

static void xrd_f_begin(struct buf *b, const struct xrd_packet *p)
{
	xrd_f_put_time(b, &(struct xrd_record){
		.flags = p->has_sid ? XRD_HAS_SID : 0, .sid = p->sid,
		.id = (uint32_t)p->n_xfr << 16 | p->n_all,
		.window_begin = p->begin, .window_end = p->end,
	});
}

static void xrd_f_put_open(struct buf *b, const struct xrd_record *r)
{
	size_t pad = LFN_ALIGN + LFN_ALIGN - r->text.n % LFN_ALIGN;
	bool lfn = r->flags & XRD_HAS_LFN;
	xrd_f_put_head(b, IS_OPEN, r, OPEN_BYTES + (lfn ? 4 + r->text.n + pad : 0));
	wire_put(b, (uint64_t)r->size, 8);
	if (!lfn)
		return;
	wire_put(b, r->user, 4);
	buf_add(b, r->text);
	xrd_pad(b, pad);
}

static void xrd_f_put_xfr(struct buf *b, const struct xrd_record *r)
{
	wire_put(b, (uint64_t)r->read, 8);
	wire_put(b, (uint64_t)r->readv, 8);
	wire_put(b, (uint64_t)r->write, 8);
}

static void xrd_f_put_ops(struct buf *b, const struct xrd_ops *o)
{
	const int32_t first[] = { o->read, o->readv, o->write };
	const int32_t last[] = { o->read_min, o->read_max, o->readv_min, o->readv_max,
				 o->write_min, o->write_max };
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		wire_put(b, (uint32_t)first[i], 4);
	wire_put(b, (uint16_t)o->segments_min, 2);
	wire_put(b, (uint16_t)o->segments_max, 2);
	wire_put(b, (uint64_t)o->segments, 8);
	for (size_t i = 0; i < ARRAY_SIZE(last); i++)
		wire_put(b, (uint32_t)last[i], 4);
}

static void xrd_f_put_close(struct buf *b, const struct xrd_record *r)
{
	bool ops = r->flags & XRD_HAS_OPS, ssq = r->flags & XRD_HAS_SSQ;
	xrd_f_put_head(b, IS_CLOSE, r, XFR_BYTES + (ops ? OPS_BYTES : 0) + (ssq ? SSQ_BYTES : 0));
	xrd_f_put_xfr(b, r);
	if (ops)
		xrd_f_put_ops(b, &r->ops);
	if (!ssq)
		return;
	wire_put_double(b, r->ssq.read);
	wire_put_double(b, r->ssq.readv);
	wire_put_double(b, r->ssq.segments);
	wire_put_double(b, r->ssq.write);
}

static void xrd_f_put(struct buf *b, const struct xrd_record *r)
{
	switch (r->kind) {
	case XRD_OPEN:
		xrd_f_put_open(b, r);
		break;
	case XRD_CLOSE:
		xrd_f_put_close(b, r);
		break;
	case XRD_XFR:
		xrd_f_put_head(b, IS_XFR, r, XFR_BYTES);
		xrd_f_put_xfr(b, r);
		break;
	case XRD_WINDOW:
		xrd_f_put_time(b, r);
		break;
	default:
		xrd_f_put_head(b, IS_DISC, r, HEAD_BYTES);
	}
	buf_add(b, r->rest);
}

const struct xrd_stream xrd_f_stream = {
	.codes = "f", .open = xrd_f_open_packet, .next = xrd_f_next, .begin = xrd_f_begin,
	.put = xrd_f_put,
};
