/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_map.c - map records, which define a dictionary id: a user, a file and so on */
#include <errno.h>
#include <string.h>
#include "formats/xrootd/xrd_streams.h"
#include "formats/xrootd/xrdstream.h"

#define KEY_MAX 8

/* Open a map record. Its userid has the server id. */
static int xrd_map_open(struct xrd_packet *p)
{
	struct wire w = p->left;
	struct str userid, info;
	struct xrd_user u;
	if (w.n < 4)
		return -EBADMSG;
	wire_bytes(&w, 4);
	xrd_map_split(xrd_until_nul(wire_bytes(&w, w.n)), &userid, &info);
	p->has_sid = xrd_user_split(userid, &u) && str_take_u64(&u.sid, &p->sid);
	p->sid &= XRD_SID_MASK;
	return 0;
}

/* Read the record. If the server cut the text, the text ends at a NUL, and garbage follows. */
static int xrd_map_next(struct xrd_packet *p, struct xrd_record *r)
{
	if (p->left.n == 0)
		return 0;
	r->kind = XRD_MAP;
	r->id = wire_u32(&p->left);
	r->text = xrd_until_nul(wire_bytes(&p->left, p->left.n));
	return 1;
}

static void xrd_map_put(struct buf *b, const struct xrd_record *r)
{
	wire_put(b, r->id, 4);
	buf_add(b, r->text);
}

const struct xrd_stream xrd_map_stream = {
	.codes = "=dipuxUT", .open = xrd_map_open, .next = xrd_map_next, .put = xrd_map_put,
};

void xrd_map_split(struct str text, struct str *userid, struct str *info)
{
	str_take_prefix(&text, STR("=/"));
	if (!str_take_line(&text, userid))
		*userid = STR("");
	*info = text;
}

/* Return the index of the last character c, or s.n. */
static size_t xrd_map_last_index(struct str s, char c)
{
	const char *at = s.n ? memrchr(s.p, c, s.n) : NULL;
	return at ? (size_t)(at - s.p) : s.n;
}

/* Cut s at the last character c. Returns the text after it, or "". */
static struct str xrd_map_cut_at_last(struct str *s, char c)
{
	size_t at = xrd_map_last_index(*s, c);
	struct str tail = str_skip(*s, at < s->n ? at + 1 : at);
	s->n = at;
	return tail;
}

/* Split a userid. Names may contain dots and "@"; with protocol http, a blank precedes the pid. */
bool xrd_user_split(struct str userid, struct xrd_user *ret)
{
	struct xrd_user u = { .protocol = STR("") };
	u.host = xrd_map_cut_at_last(&userid, '@');
	u.sid = xrd_map_cut_at_last(&userid, ':');
	if (!u.host.n || !str_is_u64(u.sid))
		return false;
	str_take_until(&userid, '/', &u.protocol);
	struct str name = userid;
	u.pid = str_trim(xrd_map_cut_at_last(&name, '.'));
	if (!str_is_u64(u.pid)) {
		u.pid = STR("");
		name = userid;
	}
	u.name = name;
	*ret = u;
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Return the length of "&key=" at the start of s, or 0. */
static size_t xrd_map_key_length(struct str s)
{
	size_t n = 1;
	if (str_peek(s) != '&')
		return 0;
	while (n < s.n && n <= KEY_MAX && is_letter(s.p[n]))
		n++;
	return n > 1 && n < s.n && s.p[n] == '=' ? n + 1 : 0;
}

/* Return the index of the first "&" at or after `from`, or s.n. */
static size_t xrd_map_next_ampersand(struct str s, size_t from)
{
	const char *at = from < s.n ? memchr(s.p + from, '&', s.n - from) : NULL;
	return at ? (size_t)(at - s.p) : s.n;
}

static size_t xrd_map_next_key(struct str s, size_t from)
{
	size_t at = xrd_map_next_ampersand(s, from);
	while (at < s.n && !xrd_map_key_length(str_skip(s, at)))
		at = xrd_map_next_ampersand(s, at + 1);
	return at;
}

bool xrd_take_pair(struct str *in, struct str *key, struct str *value)
{
	struct str s = str_skip(*in, xrd_map_next_key(*in, 0));
	size_t n = xrd_map_key_length(s);
	if (!n)
		return false;
	*key = (struct str){ s.p + 1, n - 2 };
	s = str_skip(s, n);
	*value = (struct str){ s.p, xrd_map_next_key(s, 0) };
	*in = str_skip(s, value->n);
	return true;
}

static bool xrd_map_is_key(struct str at, struct str key)
{
	return at.n >= key.n + 2 && at.p[key.n + 1] == '=' &&
	       memcmp(at.p + 1, key.p, key.n) == 0;
}

/* Every "&key=" begins a pair, even in the middle of a value, because values are not escaped. */
struct str xrd_pair(struct str in, struct str key)
{
	size_t found = in.n;
	for (size_t at = xrd_map_next_ampersand(in, 0); at < in.n;
	     at = xrd_map_next_ampersand(in, at + 1))
		if (xrd_map_is_key(str_skip(in, at), key))
			found = at;
	if (found == in.n)
		return STR("");
	found += key.n + 2;
	return (struct str){ in.p + found, xrd_map_next_key(in, found) - found };
}
