/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c - values are written as JSON, whatever bytes they are made of */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/utf8.h"

/* Takes one character that cannot stand as it is. */
static struct str put_special(struct buf *b, struct str s)
{
	struct str c;
	bool good = utf8_take(&s, &c);
	unsigned control = c.n > 1 ? utf8_control(c) : (unsigned char)*c.p;
	if (!good) {
		buf_add(b, STR("\\ufffd"));
	} else if (*c.p == '"' || *c.p == '\\') {
		buf_add_char(b, '\\');
		buf_add(b, c);
	} else if (c.n == 1 || control) {
		buf_addf(b, "\\u%04x", control);
	} else {
		buf_add(b, c);
	}
	return s;
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

void json_put_string(struct buf *b, struct str s)
{
	buf_add_char(b, '"');
	while (s.n) {
		size_t plain = 0;
		while (plain < s.n && is_plain(s.p[plain]))
			plain++;
		buf_add(b, (struct str){ s.p, plain });
		s = str_skip(s, plain);
		if (s.n)
			s = put_special(b, s);
	}
	buf_add_char(b, '"');
}

void json_put_double(struct buf *b, double v)
{
	char text[32];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_add(b, str_of(text));
}

/* The last byte says what stands before: a string that ends with a bracket has a quote after it. */
static void begin(struct buf *b, const char *name)
{
	static const char first[] = "{[:\n";
	if (b->n && !memchr(first, b->p[b->n - 1], sizeof(first) - 1))
		buf_add_char(b, ',');
	if (!name)
		return;
	json_put_string(b, str_of(name));
	buf_add_char(b, ':');
}

void json_open(struct buf *b, const char *name, char bracket)
{
	begin(b, name);
	buf_add_char(b, bracket);
}

void json_close(struct buf *b, char bracket)
{
	buf_add_char(b, bracket);
}

void json_raw(struct buf *b, const char *name, struct str json)
{
	begin(b, name);
	buf_add(b, json);
}

void json_str(struct buf *b, const char *name, struct str s)
{
	begin(b, name);
	json_put_string(b, s);
}

void json_strf(struct buf *b, const char *name, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_str(b, name, str_of(text));
}

void json_u64(struct buf *b, const char *name, uint64_t v)
{
	begin(b, name);
	buf_add_u64(b, v);
}

void json_int(struct buf *b, const char *name, int64_t v)
{
	begin(b, name);
	if (v < 0)
		buf_add_char(b, '-');
	buf_add_u64(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void json_double(struct buf *b, const char *name, double v)
{
	if (!isfinite(v)) {
		json_null(b, name);
		return;
	}
	begin(b, name);
	json_put_double(b, v);
}

void json_seconds(struct buf *b, const char *name, int64_t usec)
{
	int64_t size = usec < 0 ? -usec : usec;
	begin(b, name);
	buf_addf(b, "%s%" PRId64 ".%06" PRId64, usec < 0 ? "-" : "", size / 1000000,
		 size % 1000000);
}

void json_bool(struct buf *b, const char *name, bool v)
{
	json_raw(b, name, v ? STR("true") : STR("false"));
}

void json_null(struct buf *b, const char *name)
{
	json_raw(b, name, STR("null"));
}
