/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_g.c - the g-stream: events of plug-ins as lines, mostly of JSON (5.0 and later) */
#include <errno.h>
#include "formats/xrd_streams.h"

#define UNIX_DIGITS 10	/* until 2286: 5.5.3 puts the next value right behind the last time */

static int open_g(struct xrd_packet *p)
{
	p->begin = wire_u32(&p->left);
	p->end = wire_u32(&p->left);
	p->provider = (char)wire_u8(&p->left);
	wire_bytes(&p->left, 1);
	p->sid = wire_uint(&p->left, 6);
	p->has_sid = true;
	return p->left.bad ? -EBADMSG : 0;
}

/* Lines end by a newline, the last one by the NUL. */
static int next_g(struct xrd_packet *p, struct xrd_record *r)
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

static void begin_g(struct buf *b, const struct xrd_packet *p)
{
	wire_put(b, p->begin, 4);
	wire_put(b, p->end, 4);
	wire_put(b, (uint64_t)(unsigned char)p->provider << 8, 2);
	wire_put(b, p->sid, 6);
}

static void put_g(struct buf *b, const struct xrd_record *r)
{
	size_t first = XRD_HEADER + 16;
	if (b->n > first)
		buf_add_char(b, '\n');
	buf_add(b, r->text);
}

const struct xrd_stream xrd_g_stream = {
	.codes = "g", .open = open_g, .next = next_g, .begin = begin_g, .put = put_g,
};

/* What stands behind a name; numbers are padded by blanks in JSON, by "+" in CGI. */
static bool find_u64(struct str line, struct str name, uint64_t *ret)
{
	const char *at = memmem(line.p, line.n, name.p, name.n);
	if (!at)
		return false;
	struct str s = str_skip(line, (size_t)(at - line.p) + name.n);
	while (str_take_prefix(&s, STR("+")) || str_take_prefix(&s, STR(" ")))
		;
	if (s.n > 20)
		s.n = 20;
	return str_take_u64(&s, ret);
}

static uint32_t find_time(struct str line, struct str name)
{
	const char *at = memmem(line.p, line.n, name.p, name.n);
	struct str s = at ? str_skip(line, (size_t)(at - line.p) + name.n) : STR("");
	uint64_t v = 0;
	if (s.n > UNIX_DIGITS)
		s.n = UNIX_DIGITS;
	return str_take_u64(&s, &v) && v <= UINT32_MAX ? (uint32_t)v : 0;
}

/* What the first line calls things. */
static const struct names {
	struct str code, seq, start, sid, begin, end, provider;
} names[] = {
	[XRD_JSON] = { STR("{\"code\":\""), STR("\"pseq\":"), STR("\"stod\":"), STR("\"sid\":"),
		       STR("\"tbeg\":"), STR("\"tend\":"), STR("\"type\":\"") },
	[XRD_CGI]  = { STR("code="), STR("&pseq="), STR("&stod="), STR("&sid="), STR("&gs.tbeg="),
		       STR("&gs.tend="), STR("&gs.type=") },
};

static char find_provider(struct str line, struct str name)
{
	const char *at = memmem(line.p, line.n, name.p, name.n);
	return at ? str_peek(str_skip(line, (size_t)(at - line.p) + name.n)) : '\0';
}

int xrd_g_open_text(struct str datagram, struct xrd_packet *ret)
{
	struct xrd_packet p = { .form = str_peek(datagram) == '{' ? XRD_JSON : XRD_CGI };
	const struct names *n = &names[p.form];
	struct str text = xrd_until_nul(datagram), left = text, line;
	uint64_t seq, start;

	if (!str_take_line(&left, &line) || !find_u64(line, n->seq, &seq) ||
	    !find_u64(line, n->start, &start) || seq > UINT16_MAX || start > UINT32_MAX)
		return -EBADMSG;
	p.code = str_peek(str_skip(line, n->code.n));
	if (p.code != 'g' && p.code != '=')
		return -EBADMSG;
	p.seq = (uint16_t)seq;
	p.start = (uint32_t)start;
	p.has_sid = find_u64(line, n->sid, &p.sid);
	p.begin = find_time(line, n->begin);
	p.end = find_time(line, n->end);
	p.provider = find_provider(line, n->provider);
	p.left = wire_of(p.code == '=' ? text : left);	/* the server's own line says who it is */
	*ret = p;
	return 0;
}
