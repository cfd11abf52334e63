/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_g.c - the g-stream: events of plug-ins as lines, usually JSON (since 5.0) */
#include <errno.h>
#include "formats/json_read.h"
#include "formats/xrootd/xrd_gline.h"
#include "formats/xrootd/xrd_streams.h"

/*
 * Number of digits of a Unix time until 2286. In the header line, XRootD 5.5.3 writes nothing
 * between the last time and the next value, so only the number of digits shows where the time ends.
 */
#define UNIX_DIGITS 10

static int xrd_g_open_packet(struct xrd_packet *p)
{
	p->begin = wire_u32(&p->left);
	p->end = wire_u32(&p->left);
	p->provider = (char)wire_u8(&p->left);
	wire_bytes(&p->left, 1);
	p->sid = wire_uint(&p->left, 6);
	p->has_sid = true;
	return p->left.bad ? -EBADMSG : 0;
}

/* Return the next line that is not empty. A NUL ends the last line. */
static int xrd_g_next(struct xrd_packet *p, struct xrd_record *r)
{
	struct str left = xrd_until_nul((struct str){ (const char *)p->left.p, p->left.n });
	struct str line;
	while (str_take_line(&left, &line)) {
		p->left = wire_of(left);
		if (line.n == 0)
			continue;
		r->kind = XRD_LINE;
		r->text = line;
		return 1;
	}
	return 0;
}

static void xrd_g_begin(struct buf *b, const struct xrd_packet *p)
{
	wire_put(b, p->begin, 4);
	wire_put(b, p->end, 4);
	wire_put(b, (uint64_t)(unsigned char)p->provider << 8, 2);
	wire_put(b, p->sid, 6);
}

static void xrd_g_put(struct buf *b, const struct xrd_record *r)
{
	size_t first = XRD_HEADER + 16;
	if (b->n > first)
		buf_add_char(b, '\n');
	buf_add(b, r->text);
}

const struct xrd_stream xrd_g_stream = {
	.codes = "g", .open = xrd_g_open_packet, .next = xrd_g_next, .begin = xrd_g_begin,
	.put = xrd_g_put,
};

static struct str xrd_g_after_name(struct str line, struct str name)
{
	const char *at = memmem(line.p, line.n, name.p, name.n);
	return at ? str_skip(line, (size_t)(at - line.p) + name.n) : STR("");
}

/* Get the number after a name in a line. The number may be padded with "+". */
static bool xrd_g_find_u64(struct str line, struct str name, uint64_t *ret)
{
	struct str s = xrd_g_after_name(line, name);
	while (str_take_prefix(&s, STR("+")))
		;
	if (s.n > 20)
		s.n = 20;
	return str_peek(s) != ' ' && str_take_u64(&s, ret);
}

static uint32_t xrd_g_as_time(struct str s)
{
	uint64_t v = 0;
	if (s.n > UNIX_DIGITS)
		s.n = UNIX_DIGITS;
	return str_take_u64(&s, &v) && v <= UINT32_MAX ? (uint32_t)v : 0;
}

struct xrd_g_head {
	uint64_t seq, start;
};

static bool xrd_g_take_cgi_head(struct str line, struct xrd_g_head *h, struct xrd_packet *p)
{
	p->code = str_peek(xrd_g_after_name(line, STR("code=")));
	p->has_sid = xrd_g_find_u64(line, STR("&sid="), &p->sid);
	p->begin = xrd_g_as_time(xrd_g_after_name(line, STR("&gs.tbeg=")));
	p->end = xrd_g_as_time(xrd_g_after_name(line, STR("&gs.tend=")));
	p->provider = str_peek(xrd_g_after_name(line, STR("&gs.type=")));
	return xrd_g_find_u64(line, STR("&pseq="), &h->seq) && xrd_g_find_u64(line, STR("&stod="),
									      &h->start);
}

static char xrd_g_json_letter(struct str members, struct str name)
{
	struct str text = json_find(members, name);
	return str_take_prefix(&text, STR("\"")) ? str_peek(text) : '\0';
}

static bool xrd_g_take_json_head(struct str line, struct xrd_g_head *h, struct xrd_packet *p)
{
	struct str all, g;
	if (!json_take_object(line, &all))
		return false;
	p->code = xrd_g_json_letter(all, STR("code"));
	p->has_sid = json_as_u64(json_find(all, STR("sid")), &p->sid);
	if (json_take_object(json_find(all, STR("gs")), &g)) {
		p->begin = xrd_g_as_time(json_find(g, STR("tbeg")));
		p->end = xrd_g_as_time(json_find(g, STR("tend")));
		p->provider = xrd_g_json_letter(g, STR("type"));
	}
	return json_as_u64(json_find(all, STR("pseq")), &h->seq) &&
	       json_as_u64(json_find(all, STR("stod")), &h->start);
}

static bool xrd_g_has_json_head(struct str line)
{
	struct str all;
	return json_take_object(line, &all) && json_find(all, STR("code")).n;
}

/* Open a datagram that has events, but no header line. */
static int xrd_g_open_events(struct str text, struct str line, struct xrd_packet *ret)
{
	struct xrd_packet p = { .code = 'g', .form = XRD_JSON, .is_headless = true,
				.left = wire_of(text) };
	if (!xrd_g_infer_provider(line, &p.provider))
		return -EBADMSG;
	*ret = p;
	return 0;
}

int xrd_g_open_text(struct str datagram, struct xrd_packet *ret)
{
	struct xrd_packet p = { .form = str_peek(datagram) == '{' ? XRD_JSON : XRD_CGI };
	struct str text = xrd_until_nul(datagram), left = text, line;
	struct xrd_g_head h = { 0 };

	if (!str_take_line(&left, &line))
		return -EBADMSG;
	if (p.form == XRD_JSON && !xrd_g_has_json_head(line))
		return xrd_g_open_events(text, line, ret);
	if (!(p.form == XRD_JSON ? xrd_g_take_json_head : xrd_g_take_cgi_head)(line, &h, &p) ||
	    h.seq > UINT16_MAX || h.start > UINT32_MAX || (p.code != 'g' && p.code != '='))
		return -EBADMSG;
	p.seq = (uint16_t)h.seq;
	p.start = (uint32_t)h.start;
	p.sid &= XRD_SID_MASK;
	/* code '=': also keep the header line as a record, because it identifies the server */
	p.left = wire_of(p.code == '=' ? text : left);
	*ret = p;
	return 0;
}
