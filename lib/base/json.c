/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c - write JSON from values of any bytes */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"

/* Take one character that must be escaped, and append its escape. */
static struct str json_put_special(struct buf *b, struct str s)
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

static bool json_is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

#define EACH_BYTE(c) (UINT64_MAX / 255 * (c))

/*
 * Check eight characters at once, as json_is_plain() does for one. A character that must be escaped
 * sets the highest bit of its byte; plain characters do not disturb neighbouring bytes.
 */
static bool json_are_plain(uint64_t bytes)
{
	uint64_t other = bytes | (bytes - EACH_BYTE(' ')) | (bytes + EACH_BYTE(1)) |
			 ((bytes ^ EACH_BYTE('"')) - EACH_BYTE(1)) |
			 ((bytes ^ EACH_BYTE('\\')) - EACH_BYTE(1));
	return !(other & EACH_BYTE(0x80));
}

/* Copy the plain characters at the start of a text. Returns their number. */
static size_t json_copy_plain(char *to, struct str s)
{
	uint64_t bytes;
	size_t n = 0;
	while (n < s.n && s.n >= sizeof(bytes)) {
		/* the last eight characters may overlap those copied before */
		size_t at = s.n - n < sizeof(bytes) ? s.n - sizeof(bytes) : n;
		memcpy(&bytes, s.p + at, sizeof(bytes));
		if (!json_are_plain(bytes))
			break;
		memcpy(to + at, &bytes, sizeof(bytes));
		n = at + sizeof(bytes);
	}
	for (; n < s.n && json_is_plain(s.p[n]); n++)
		to[n] = s.p[n];
	return n;
}

void json_put_string(struct buf *b, struct str s)
{
	buf_add_char(b, '"');
	while (s.n) {
		buf_reserve(b, s.n);
		size_t plain = json_copy_plain(b->p + b->n, s);
		b->n += plain;
		s = str_skip(s, plain);
		if (s.n)
			s = json_put_special(b, s);
	}
	buf_add_char(b, '"');
}

#ifdef __SIZEOF_INT128__

/* Append q / 10^places; at most 20 places. */
static void put_decimal(struct buf *b, uint64_t q, int places)
{
	static const char zeros[] = "0.0000000000000000000";
	for (; places > 0 && q % 10 == 0; places--)
		q /= 10;
	buf_reserve(b, sizeof(zeros) + U64_DIGITS);
	char *to = b->p + b->n;
	size_t n = (size_t)(u64_put(to, q) - to), after = (size_t)places;
	size_t leading = n > after ? 0 : 2 + after - n;
	if (leading) {
		memmove(to + leading, to, n);
		memcpy(to, zeros, leading);
	} else if (after) {
		memmove(to + n - after + 1, to + n - after, after);
		to[n - after] = '.';
	}
	b->n += leading + n + (!leading && after);
}

/*
 * Return whether a rounded decimal reads back as the double with mantissa m: the decimal is off by
 * less than half of `ten`, the distance of neighbouring doubles, or by exactly half if m is even.
 * Below a power of two, the distance is half as large. All arguments but m are in units of
 * 10^-places * 2^-s.
 */
static bool reads_back(uint64_t m, unsigned __int128 ten, unsigned __int128 exact,
		       unsigned __int128 rounded)
{
	bool nearer = rounded < exact && m == (uint64_t)1 << 52;
	unsigned __int128 off = (rounded < exact ? exact - rounded : rounded - exact)
				<< (nearer ? 2 : 1);
	return off < ten || (off == ten && m % 2 == 0);
}

/*
 * Append a number that printf("%.15g") writes without an exponent. The number is m / 2^s with s
 * from 3 to 66; 10^places is at most 10^20, so that m * 10^places is exact in 128 bits.
 */
static bool put_usual(struct buf *b, double v)
{
	static const double powers[] = { 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6,
					 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	static const uint64_t tens[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
					 100000000, 1000000000, 10000000000, 100000000000,
					 1000000000000, 10000000000000, 100000000000000,
					 1000000000000000, 10000000000000000, 100000000000000000,
					 1000000000000000000 };
	const double size = fabs(v);
	unsigned __int128 ten;
	uint64_t m;
	int places = 18, s;
	if (size < powers[0] || size >= powers[19])
		return false;
	memcpy(&m, &size, sizeof(m));
	s = 1075 - (int)(m >> 52);
	m = (m & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
	for (size_t i = 1; size >= powers[i]; i++)
		places--;
	ten = tens[places];
	for (int digits = 15;; digits++, places++, ten *= 10) {
		unsigned __int128 exact = ten * m, half = (unsigned __int128)1 << (s - 1);
		unsigned __int128 rest = exact & (2 * half - 1);
		uint64_t q = (uint64_t)(exact >> s);
		q += rest > half || (rest == half && q % 2);
		if (digits < 17 && !reads_back(m, ten, exact, (unsigned __int128)q << s))
			continue;
		if (v < 0)
			buf_add_char(b, '-');
		put_decimal(b, q, places);
		return true;
	}
}

#else

static bool put_usual(struct buf *b, double v)
{
	(void)b;
	(void)v;
	return false;
}

#endif

/* Append a number without a fraction, if printf("%.15g") writes it so. -0 is left to printf. */
static bool json_put_whole(struct buf *b, double v)
{
	int64_t i = fabs(v) < 1e15 ? (int64_t)v : 0;
	if ((double)i != v || (i == 0 && signbit(v)))
		return false;
	if (i < 0)
		buf_add_char(b, '-');
	buf_add_u64(b, (uint64_t)(i < 0 ? -i : i));
	return true;
}

void json_put_double(struct buf *b, double v)
{
	char text[32];
	if (json_put_whole(b, v) || put_usual(b, v))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_add(b, str_of(text));
}

/*
 * Return whether the next value needs no comma before it: it is the first of the buffer, a line, an
 * object or an array, or it follows a name. The last byte of the buffer shows this, because a value
 * never ends with one of these characters: a string ends with a quote.
 */
static bool json_is_first(const struct buf *b)
{
	char c = b->n ? b->p[b->n - 1] : '\n';
	return c == '{' || c == '[' || c == ':' || c == '\n';
}

static void json_begin_value(struct buf *b, const char *name)
{
	if (!json_is_first(b))
		buf_add_char(b, ',');
	if (!name)
		return;
	json_put_string(b, str_of(name));
	buf_add_char(b, ':');
}

void json_open(struct buf *b, const char *name, char bracket)
{
	json_begin_value(b, name);
	buf_add_char(b, bracket);
}

void json_close(struct buf *b, char bracket)
{
	buf_add_char(b, bracket);
}

void json_raw(struct buf *b, const char *name, struct str json)
{
	json_begin_value(b, name);
	buf_add(b, json);
}

void json_str(struct buf *b, const char *name, struct str s)
{
	json_begin_value(b, name);
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
	json_begin_value(b, name);
	buf_add_u64(b, v);
}

void json_int(struct buf *b, const char *name, int64_t v)
{
	json_begin_value(b, name);
	buf_add_i64(b, v);
}

void json_double(struct buf *b, const char *name, double v)
{
	if (!isfinite(v)) {
		json_null(b, name);
		return;
	}
	json_begin_value(b, name);
	json_put_double(b, v);
}

void json_seconds(struct buf *b, const char *name, int64_t usec)
{
	int64_t size = usec < 0 ? -usec : usec;
	json_begin_value(b, name);
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
