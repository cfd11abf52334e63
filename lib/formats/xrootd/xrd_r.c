/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_r.c - the r-stream: clients that were redirected */
#include <errno.h>
#include "formats/xrootd/xrd_streams.h"
#include "formats/xrootd/xrdstream.h"

enum { MON_REDSID = 0xf0, MON_REDIRECT = 0x80, MON_REDLOCAL = 0x90, UNIT = 8 };

/* Operations, by the low four bits of the type (System Monitoring Reference, 3.5). */
static const char *const xrd_r_op_names[] = {
	[1] = "chmod", "locate", "opendir", "openc", "openr", "openw", "mkdir", "mv", "prep",
	"query", "rm", "rmdir", "stat", "trunc",
};

const char *xrd_redirect_op(uint8_t op)
{
	return op < ARRAY_SIZE(xrd_r_op_names) ? xrd_r_op_names[op] : NULL;
}

static int xrd_r_open(struct xrd_packet *p)
{
	uint8_t type = wire_u8(&p->left);
	wire_bytes(&p->left, 1);
	p->sid = wire_uint(&p->left, 6);
	p->has_sid = true;
	return p->left.bad || type != MON_REDSID ? -EBADMSG : 0;
}

static void xrd_r_take_window(struct wire *w, struct xrd_record *r)
{
	r->kind = XRD_WINDOW;
	wire_bytes(w, 1);
	r->seconds = (uint32_t)wire_uint(w, 3);
	r->window_begin = wire_u32(w);
}

/*
 * Split "host:path", "[v6]:path" or ":path" into .host and .text. s ends before the NULs that pad
 * the text in the datagram to a multiple of UNIT bytes.
 */
static void xrd_r_split_target(struct str s, struct xrd_record *r)
{
	const char *v6 = str_peek(s) == '[' ? memchr(s.p, ']', s.n) : NULL;
	size_t skip = v6 ? (size_t)(v6 - s.p) : 0;
	const char *colon = s.n ? memchr(s.p + skip, ':', s.n - skip) : NULL;
	size_t n = colon ? (size_t)(colon - s.p) : 0;
	r->host = (struct str){ s.p, n };
	r->text = str_skip(s, colon ? n + 1 : 0);
}

static void xrd_r_take_redirect(struct wire *w, struct xrd_record *r)
{
	uint8_t type = wire_u8(w);
	size_t units = wire_u8(w);
	r->kind = XRD_REDIRECT;
	r->local = (type & 0xf0) == MON_REDLOCAL;
	r->op = type & 0x0f;
	r->port = wire_u16(w);
	r->id = wire_u32(w);
	xrd_r_split_target(xrd_until_nul(wire_bytes(w, units * UNIT)), r);
}

static int xrd_r_next(struct xrd_packet *p, struct xrd_record *r)
{
	if (p->left.n == 0)
		return 0;
	uint8_t type = *p->left.p;
	if (type < MON_REDIRECT)
		xrd_r_take_window(&p->left, r);
	else if (type < MON_REDLOCAL + 0x10)
		xrd_r_take_redirect(&p->left, r);
	else
		xrd_unknown(r, wire_bytes(&p->left, UNIT));
	return p->left.bad ? -EBADMSG : 1;
}

static void xrd_r_begin(struct buf *b, const struct xrd_packet *p)
{
	wire_put(b, (uint64_t)MON_REDSID << 8, 2);
	wire_put(b, p->sid, 6);
}

static void xrd_r_put(struct buf *b, const struct xrd_record *r)
{
	if (r->kind == XRD_WINDOW) {
		wire_put(b, r->seconds, 4);
		wire_put(b, r->window_begin, 4);
		return;
	}
	size_t n = r->host.n + 1 + r->text.n;
	size_t units = n / UNIT + 1;	/* room for at least one NUL */
	wire_put(b, (r->local ? MON_REDLOCAL : MON_REDIRECT) | r->op, 1);
	wire_put(b, units, 1);
	wire_put(b, r->port, 2);
	wire_put(b, r->id, 4);
	buf_add(b, r->host);
	buf_add_char(b, ':');
	buf_add(b, r->text);
	xrd_pad(b, units * UNIT - n);
}

const struct xrd_stream xrd_r_stream = {
	.codes = "r", .open = xrd_r_open, .next = xrd_r_next, .begin = xrd_r_begin,
	.put = xrd_r_put,
};
