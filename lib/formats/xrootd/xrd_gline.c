/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xrd_gline.c - parse the lines of the g-stream: convert lines to valid JSON, and read known events
 */
#include "formats/xrootd/xrd_gline.h"

#include <stdlib.h>
#include <time.h>
#include "base/json.h"
#include "base/utf8.h"
#include "formats/json_read.h"

/*
 * Providers and their letters, XROOTD_MON_... in XrdXrootdMonData.hh. No plug-in of XRootD itself
 * sends ccm.
 */
static const struct xrd_gline_provider {
	char letter;
	const char *type;
	bool plain;		/* strings are not escaped */
	bool objects;		/* every line is a JSON object */
	struct str client;	/* member with the client's name */
} providers[] = {
	{ 'C', "cache",    true,  true,  { 0 }         },
	{ 'P', "tpc",      true,  true,  STR("Client") },
	{ 'T', "tcp",      false, true,  STR("remote") },
	{ 'M', "ccm",      false, false, { 0 }         },
	{ 'R', "throttle", false, true,  { 0 }         },
	{ 'O', "oss",      false, true,  { 0 }         },
	{ 'H', "http",     false, true,  { 0 }         },
};

static const struct xrd_gline_provider *xrd_gline_provider(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++)
		if (providers[i].letter == letter)
			return &providers[i];
	return NULL;
}

const char *xrd_g_type(char provider)
{
	const struct xrd_gline_provider *p = xrd_gline_provider(provider);
	return p ? p->type : NULL;
}

bool xrd_g_sends_objects(char provider)
{
	const struct xrd_gline_provider *p = xrd_gline_provider(provider);
	return p && p->objects;
}

struct xrd_gline_copier {
	struct str in;
	struct buf *to;
	bool plain, escaped;
	bool spaced;	/* the line has blanks between names and values */
};

static bool xrd_gline_copy_value(struct xrd_gline_copier *c, unsigned depth);

static bool xrd_gline_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct str after_blanks(struct str s)
{
	while (s.n && xrd_gline_is_blank(*s.p))
		s = str_skip(s, 1);
	return s;
}

static void xrd_gline_skip_blanks(struct xrd_gline_copier *c)
{
	c->in = after_blanks(c->in);
}

static bool xrd_gline_take_char(struct xrd_gline_copier *c, char which)
{
	xrd_gline_skip_blanks(c);
	if (!c->in.n || *c->in.p != which)
		return false;
	c->in = str_skip(c->in, 1);
	return true;
}

/*
 * Return true if the quote before `rest` ends the string. If strings are not escaped, a quote ends
 * the string only if valid JSON follows the quote.
 */
static bool xrd_gline_ends_text(const struct xrd_gline_copier *c, struct str rest, bool is_name)
{
	if (!c->plain || is_name)
		return true;
	if (c->spaced)
		rest = after_blanks(rest);
	if (str_starts(rest, STR("}")) || str_starts(rest, STR("]")))
		return true;
	if (!str_take_prefix(&rest, STR(",")))
		return false;
	return str_peek(c->spaced ? after_blanks(rest) : rest) == '"';
}

static bool xrd_gline_take_text(struct xrd_gline_copier *c, bool is_name, struct str *quoted)
{
	const struct str s = c->in;
	if (str_peek(s) != '"')
		return false;
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] == '\\' && !c->plain) {
			i++;
		} else if (s.p[i] == '"' && xrd_gline_ends_text(c, str_skip(s, i + 1), is_name)) {
			*quoted = (struct str){ s.p, i + 1 };
			c->in = str_skip(s, i + 1);
			return true;
		}
	}
	return false;
}

static bool xrd_gline_copy_text(struct xrd_gline_copier *c, bool is_name)
{
	struct buf bytes CLEANUP(buf_free) = { 0 };
	struct str quoted;
	xrd_gline_skip_blanks(c);
	if (!xrd_gline_take_text(c, is_name, &quoted))
		return false;
	if (c->plain)
		buf_add(&bytes, (struct str){ quoted.p + 1, quoted.n - 2 });
	else if (!json_add_text(&bytes, quoted))
		return false;
	if (!utf8_is_all(buf_str(&bytes))) {
		struct buf word CLEANUP(buf_free) = { 0 };
		buf_add_word(&word, buf_str(&bytes), false);
		json_put_string(c->to, buf_str(&word));
		c->escaped = true;
		return true;
	}
	json_put_string(c->to, buf_str(&bytes));
	return true;
}

static size_t xrd_gline_skip_digits(struct str s, size_t at)
{
	while (at < s.n && s.p[at] >= '0' && s.p[at] <= '9')
		at++;
	return at;
}

/* Return the length of the number at the start of s (RFC 8259, section 6), or 0. */
static size_t number_length(struct str s)
{
	size_t at = str_peek(s) == '-', first = at;
	at = xrd_gline_skip_digits(s, at);
	if (at == first || (s.p[first] == '0' && at > first + 1))
		return 0;
	if (at < s.n && s.p[at] == '.') {
		first = ++at;
		at = xrd_gline_skip_digits(s, at);
		if (at == first)
			return 0;
	}
	if (at < s.n && (s.p[at] == 'e' || s.p[at] == 'E')) {
		at++;
		at += at < s.n && (s.p[at] == '+' || s.p[at] == '-');
		first = at;
		at = xrd_gline_skip_digits(s, at);
		if (at == first)
			return 0;
	}
	return at;
}

static bool xrd_gline_copy_bare(struct xrd_gline_copier *c)
{
	static const struct str words[] = { STR("true"), STR("false"), STR("null") };
	size_t n = number_length(c->in);
	for (size_t i = 0; i < ARRAY_SIZE(words) && !n; i++)
		n = str_starts(c->in, words[i]) ? words[i].n : 0;
	buf_add(c->to, (struct str){ c->in.p, n });
	c->in = str_skip(c->in, n);
	return n != 0;
}

static bool xrd_gline_copy_items(struct xrd_gline_copier *c, char end, unsigned depth)
{
	for (unsigned n = 0; !xrd_gline_take_char(c, end); n++) {
		if (n) {
			if (!xrd_gline_take_char(c, ','))
				return false;
			buf_add_char(c->to, ',');
		}
		if (end == '}') {
			if (!xrd_gline_copy_text(c, true) || !xrd_gline_take_char(c, ':'))
				return false;
			buf_add_char(c->to, ':');
			c->spaced |= xrd_gline_is_blank(str_peek(c->in));
		}
		if (!xrd_gline_copy_value(c, depth))
			return false;
	}
	buf_add_char(c->to, end);
	return true;
}

static bool xrd_gline_copy_value(struct xrd_gline_copier *c, unsigned depth)
{
	xrd_gline_skip_blanks(c);
	char first = str_peek(c->in);
	if (first == '"')
		return xrd_gline_copy_text(c, false);
	if (first != '{' && first != '[')
		return xrd_gline_copy_bare(c);
	if (!depth)
		return false;
	c->in = str_skip(c->in, 1);
	buf_add_char(c->to, first);
	return xrd_gline_copy_items(c, first == '{' ? '}' : ']', depth - 1);
}

bool xrd_g_put_object(struct buf *b, char provider, struct str line, bool *escaped)
{
	const struct xrd_gline_provider *p = xrd_gline_provider(provider);
	struct xrd_gline_copier c = { .in = str_trim(line), .to = b, .plain = p && p->plain };
	size_t before = b->n;
	if (str_peek(c.in) == '{' && xrd_gline_copy_value(&c, JSON_DEPTH_MAX) && !c.in.n) {
		*escaped = c.escaped;
		return true;
	}
	b->n = before;
	return false;
}

bool xrd_g_infer_provider(struct str line, char *ret)
{
	/*
	 * members by which events are recognized, from XrdPfcFile.cc, XrdThrottleManager.cc,
	 * XrdOssStats, the S3 plug-in and XrdOfsTPC
	 */
	static const struct {
		struct str key, value;	/* .value: start of the value */
		char letter;
	} signs[] = {
		{ STR("event"), STR("\"file_close\""),      'C' },
		{ STR("event"), STR("\"throttle_update\""), 'R' },
		{ STR("event"), STR("\"oss_stats"),         'O' },
		{ STR("event"), STR("\"s3file_stats\""),    'O' },
		{ STR("TPC"),   STR("\""),                  'P' },
		{ STR("type"),  STR("\"tcpstats\""),        'T' },
	};
	struct buf object CLEANUP(buf_free) = { 0 };
	struct str members;
	bool escaped;
	if (!xrd_g_put_object(&object, 'C', line, &escaped) ||
	    !json_take_object(buf_str(&object), &members))
		return false;
	*ret = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(signs) && !*ret; i++)
		if (str_starts(json_find(members, signs[i].key), signs[i].value))
			*ret = signs[i].letter;
	if (str_starts(members, STR("\"HTTP_")))
		*ret = 'H';
	return *ret || json_find(members, STR("event")).n;
}

static bool xrd_gline_find(struct str object, struct str name, struct str *value)
{
	struct str members;
	*value = json_take_object(object, &members) ? json_find(members, name) : STR("");
	return value->n != 0;
}

static bool xrd_gline_find_u64(struct str object, struct str name, uint64_t *ret)
{
	struct str value;
	return xrd_gline_find(object, name, &value) && json_as_u64(value, ret);
}

bool xrd_g_add_client(struct buf *b, char provider, struct str object)
{
	const struct xrd_gline_provider *p = xrd_gline_provider(provider);
	struct str value;
	return p && p->client.n && xrd_gline_find(object, p->client, &value) &&
	       json_add_text(b, value);
}

bool xrd_g_cache(struct str object, struct xrd_g_cache *ret)
{
	struct xrd_g_cache c = { 0 };
	struct str event;
	if (!xrd_gline_find(object, STR("event"), &event) ||
	    !str_eq(event, STR("\"file_close\"")) ||
	    !xrd_gline_find_u64(object, STR("b_hit"), &c.hit) ||
	    !xrd_gline_find_u64(object, STR("b_miss"), &c.miss) ||
	    !xrd_gline_find_u64(object, STR("b_bypass"), &c.bypass))
		return false;
	c.has_origin = xrd_gline_find_u64(object, STR("b_todisk"), &c.to_disk) &&
		       xrd_gline_find_u64(object, STR("b_prefetch"), &c.prefetch);
	*ret = c;
	return true;
}

bool xrd_g_real(struct str value, double *ret)
{
	char text[40], *end;
	if (number_length(value) != value.n || !value.n || !str_copy(text, sizeof(text), value))
		return false;
	*ret = strtod(text, &end);
	return *ret >= 0 && *ret < 0x1p63;
}

/* Get an integer. The TCP plug-in writes integers in the form of doubles. */
static bool xrd_gline_find_whole(struct str object, struct str name, uint64_t *ret)
{
	struct str value;
	double v;
	if (!xrd_gline_find(object, name, &value) || !xrd_g_real(value, &v))
		return false;
	*ret = (uint64_t)v;
	return true;
}

bool xrd_g_tcp(struct str object, struct xrd_g_tcp *ret)
{
	struct xrd_g_tcp t;
	struct str type;
	if (!xrd_gline_find(object, STR("type"), &type) || !str_eq(type, STR("\"tcpstats\"")) ||
	    !xrd_gline_find_whole(object, STR("bytes_in"), &t.in) ||
	    !xrd_gline_find_whole(object, STR("bytes_out"), &t.out) ||
	    !xrd_gline_find_whole(object, STR("lost"), &t.lost) ||
	    !xrd_gline_find_whole(object, STR("retrans"), &t.retransmitted))
		return false;
	*ret = t;
	return true;
}

/* Return the path of PROTOCOL://HOST:PORT//PATH, or "". */
static struct str path_of_url(struct str url)
{
	const char *host = url.n ? memmem(url.p, url.n, "://", 3) : NULL;
	size_t at = host ? (size_t)(host - url.p) + 3 : 0;
	while (at < url.n && url.p[at] != '/')
		at++;
	while (at + 1 < url.n && url.p[at + 1] == '/')
		at++;
	return str_skip(url, at);
}

bool xrd_g_add_side(struct buf *b, struct str object, struct str side)
{
	struct str url;
	size_t before = b->n;
	if (!xrd_gline_find(object, side, &url) || !json_add_text(b, url) || b->n == before)
		return false;
	const char *query = memchr(b->p + before, '?', b->n - before);
	if (query)
		b->n = (size_t)(query - b->p);
	return b->n > before;
}

bool xrd_g_add_side_path(struct buf *b, struct str object, struct str side)
{
	struct buf url CLEANUP(buf_free) = { 0 };
	if (!xrd_g_add_side(&url, object, side))
		return false;
	struct str path = path_of_url(buf_str(&url));
	if (path.n > 1)
		buf_add(b, path);
	return path.n > 1;
}

/*
 * Parse a time such as "2026-11-20T08:05:48.615Z" into Unix seconds. Returns 0 if it is missing or
 * invalid.
 */
static uint32_t xrd_gline_find_time(struct str object, struct str name)
{
	struct str value;
	struct tm tm = { 0 };
	char text[40];
	if (!xrd_gline_find(object, name, &value) || !str_copy(text, sizeof(text), value) ||
	    !strptime(text, "\"%Y-%m-%dT%H:%M:%S", &tm))
		return 0;
	int64_t t = timegm(&tm);
	return t > 0 && t < (int64_t)UINT32_MAX ? (uint32_t)t : 0;
}

bool xrd_g_tpc(struct str object, struct xrd_g_tpc *ret)
{
	struct str xeq, code, type, protocol;
	struct xrd_g_tpc t = { 0 };
	if (!xrd_gline_find(object, STR("Xeq"), &xeq) || !xrd_gline_find(xeq, STR("RC"), &code) ||
	    !xrd_gline_find_u64(object, STR("Size"), &t.size))
		return false;
	t.failed = !str_eq(code, STR("0"));
	if (!json_as_u64(code, &t.status))
		t.status = 0;
	t.push = xrd_gline_find(xeq, STR("Type"), &type) && str_eq(type, STR("\"push\""));
	t.http = xrd_gline_find(object, STR("TPC"), &protocol) && str_eq(protocol, STR("\"http\""));
	t.begin = xrd_gline_find_time(xeq, STR("Beg"));
	t.end = xrd_gline_find_time(xeq, STR("End"));
	*ret = t;
	return true;
}
