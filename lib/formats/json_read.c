/* SPDX-License-Identifier: BSD-3-Clause */
/* json_read.c - read JSON objects in place */
#include "formats/json_read.h"

static bool skip_value(struct str *s, unsigned depth);

static void json_skip_blanks(struct str *s)
{
	while (s->n && strchr(" \t\r\n", *s->p) && *s->p)
		*s = str_skip(*s, 1);
}

/* Skip a string. A backslash escapes the next character; control characters are not allowed. */
static bool skip_text(struct str *s)
{
	size_t i = 1;
	if (str_peek(*s) != '"')
		return false;
	while (i < s->n && s->p[i] != '"' && (unsigned char)s->p[i] >= ' ')
		i += s->p[i] == '\\' && i + 1 < s->n ? 2 : 1;
	if (i >= s->n || s->p[i] != '"')
		return false;
	*s = str_skip(*s, i + 1);
	return true;
}

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static bool skip_number(struct str *s)
{
	size_t i = str_peek(*s) == '-';
	if (i >= s->n || s->p[i] < '0' || s->p[i] > '9')
		return false;
	while (i < s->n && is_of_number(s->p[i]))
		i++;
	*s = str_skip(*s, i);
	return true;
}

static bool skip_name(struct str *s)
{
	if (!skip_text(s))
		return false;
	json_skip_blanks(s);
	return str_take_prefix(s, STR(":"));
}

/*
 * Skip the items of an object or list, after its opening bracket, up to the closing bracket `end`.
 */
static bool skip_items(struct str *s, char end, unsigned depth)
{
	const char last[] = { end, '\0' };
	json_skip_blanks(s);
	if (str_take_prefix(s, str_of(last)))
		return true;
	do {
		json_skip_blanks(s);
		if ((end == '}' && !skip_name(s)) || !skip_value(s, depth))
			return false;
		json_skip_blanks(s);
	} while (str_take_prefix(s, STR(",")));
	return str_take_prefix(s, str_of(last));
}

static bool skip_value(struct str *s, unsigned depth)
{
	json_skip_blanks(s);
	if (!depth)
		return false;
	if (str_take_prefix(s, STR("{")))
		return skip_items(s, '}', depth - 1);
	if (str_take_prefix(s, STR("[")))
		return skip_items(s, ']', depth - 1);
	return skip_text(s) || skip_number(s) || str_take_prefix(s, STR("true")) ||
	       str_take_prefix(s, STR("false")) || str_take_prefix(s, STR("null"));
}

bool json_take_object(struct str text, struct str *members)
{
	struct str s = str_trim(text), whole = s;
	if (str_peek(s) != '{' || !skip_value(&s, JSON_DEPTH_MAX) || s.n)
		return false;
	*members = (struct str){ whole.p + 1, whole.n - 2 };
	return true;
}

bool json_take_member(struct str *members, struct str *name, struct str *value)
{
	struct str s = *members;
	json_skip_blanks(&s);
	str_take_prefix(&s, STR(","));
	json_skip_blanks(&s);
	struct str start = s;
	if (!skip_text(&s))
		return false;
	*name = (struct str){ start.p + 1, (size_t)(s.p - start.p) - 2 };
	json_skip_blanks(&s);
	str_take_prefix(&s, STR(":"));
	json_skip_blanks(&s);
	start = s;
	if (!skip_value(&s, JSON_DEPTH_MAX))
		return false;
	*value = (struct str){ start.p, (size_t)(s.p - start.p) };
	*members = s;
	return true;
}

struct str json_find(struct str members, struct str name)
{
	struct str n, value;
	while (json_take_member(&members, &n, &value))
		if (str_eq(n, name))
			return value;
	return STR("");
}

static bool take_hex4(struct str *s, uint32_t *ret)
{
	struct str four = { s->p, 4 };
	uint64_t v;
	if (s->n < 4 || !str_take_hex(&four, &v) || four.n)
		return false;
	*ret = (uint32_t)v;
	*s = str_skip(*s, 4);
	return true;
}

/* Append a code point as UTF-8 (RFC 3629, section 3). */
static void add_utf8(struct buf *b, uint32_t c)
{
	if (c < 0x80) {
		buf_add_char(b, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_add_char(b, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf_add_char(b, (char)(0xe0 | c >> 12));
		} else {
			buf_add_char(b, (char)(0xf0 | c >> 18));
			buf_add_char(b, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf_add_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf_add_char(b, (char)(0x80 | (c & 0x3f)));
}

/*
 * Append the character of a \u escape (RFC 8259, section 7). A surrogate pair becomes one
 * character; a lone surrogate becomes U+FFFD.
 */
static bool add_unicode(struct buf *b, struct str *s)
{
	uint32_t c, low;
	if (!take_hex4(s, &c))
		return false;
	struct str rest = *s;
	if (c >> 10 == 0x36 && str_take_prefix(&rest, STR("\\u")) && take_hex4(&rest, &low) &&
	    low >> 10 == 0x37) {
		c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
		*s = rest;
	}
	add_utf8(b, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	return true;
}

static bool add_escape(struct buf *b, struct str *s)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = str_peek(*s);
	const char *at = c ? strchr(from, c) : NULL;
	*s = str_skip(*s, s->n != 0);
	if (c == 'u')
		return add_unicode(b, s);
	if (at)
		buf_add_char(b, to[at - from]);
	return at != NULL;
}

bool json_add_text(struct buf *b, struct str value)
{
	size_t before = b->n;
	struct str s = value, plain;
	if (s.n < 2 || *s.p != '"' || s.p[s.n - 1] != '"')
		return false;
	s = (struct str){ s.p + 1, s.n - 2 };
	while (str_take_until(&s, '\\', &plain)) {
		buf_add(b, plain);
		if (!add_escape(b, &s)) {
			b->n = before;
			return false;
		}
	}
	buf_add(b, s);
	return true;
}

bool json_as_u64(struct str value, uint64_t *ret)
{
	return str_peek(value) != ' ' && str_take_u64(&value, ret);
}
