/* SPDX-License-Identifier: BSD-3-Clause */
/* str.c - parse borrowed pieces of text */
#include "base/str.h"

#include <string.h>
#include "base/base.h"
#include "base/digits.h"

static struct str str_skip_blanks(struct str s)
{
	size_t n = 0;
	while (n < s.n && (s.p[n] == ' ' || s.p[n] == '\t'))
		n++;
	return str_skip(s, n);
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int r = n ? memcmp(a.p, b.p, n) : 0;
	return r ? r : (a.n > b.n) - (a.n < b.n);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n && memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0;
}

bool str_has(struct str s, char c)
{
	return s.n && memchr(s.p, c, s.n);
}

bool str_has_line(struct str text, struct str wanted)
{
	struct str line;
	while (str_take_line(&text, &line))
		if (str_eq(line, wanted))
			return true;
	return false;
}

bool str_has_word(struct str text, struct str word)
{
	struct str one;
	while (str_take_word(&text, &one))
		if (str_eq(one, word))
			return true;
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_without_end(struct str s, char c)
{
	while (s.n && s.p[s.n - 1] == c)
		s.n--;
	return s;
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0]))
		s = str_skip(s, 1);
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_take_word(struct str *in, struct str *word)
{
	struct str s = str_skip_blanks(*in);
	size_t n = 0;
	while (n < s.n && s.p[n] != ' ' && s.p[n] != '\t')
		n++;
	if (n == 0)
		return false;

	*word = (struct str){ s.p, n };
	*in = str_skip(s, n);
	return true;
}

bool str_take_item(struct str *in, struct str *item)
{
	struct str s = *in;
	size_t n = 0;
	while (s.n && strchr(" \t,", *s.p) && *s.p)
		s = str_skip(s, 1);
	while (n < s.n && !(strchr(" \t,", s.p[n]) && s.p[n]))
		n++;
	if (n == 0)
		return false;

	*item = (struct str){ s.p, n };
	*in = str_skip(s, n);
	return true;
}

bool str_take_until(struct str *in, char c, struct str *head)
{
	const char *at = in->n ? memchr(in->p, c, in->n) : NULL;
	if (!at)
		return false;

	size_t n = (size_t)(at - in->p);
	*head = (struct str){ in->p, n };
	*in = str_skip(*in, n + 1);
	return true;
}

/*
 * Parse the digits after the first 19, of which only one fits into 64 bits. Returns NULL if the
 * number overflows.
 */
static const char *take_last_digits(const char *p, const char *end, uint64_t *v)
{
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*v, 10u, v) ||
		    __builtin_add_overflow(*v, (unsigned)(*p - '0'), v))
			return NULL;
	return p;
}

/* Load up to eight characters from p to end, padded with characters that are not digits. */
static uint64_t load_last(const char *p, const char *end)
{
	unsigned bits = 8 * (unsigned)(end - p);
	return bits ? digits_load(end - 8) >> (64 - bits) | UINT64_MAX << bits : UINT64_MAX;
}

static const char *take_any(const char *p, const char *end, uint64_t *value)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	const char *first = p, *safe = end - p > 19 ? p + 19 : end;
	uint64_t v = 0;
	for (unsigned digit; p < safe && (digit = (unsigned)*p - '0') <= 9; p++)
		v = v * 10 + digit;
	if (p == first)
		return NULL;
	if (p - first == 19)
		p = take_last_digits(p, end, &v);
	if (p)
		*value = v;
	return p;
}

/* Parse a number. Up to 15 digits, followed by more text, are converted without a loop. */
const char *str_u64_at(const char *p, const char *end, uint64_t *value)
{
	if (end - p <= 8)
		return take_any(p, end, value);
	p += *p == ' ';
	if (*p == ' ') {	/* many files pad numbers with blanks */
		do
			p += digits_blanks(p);
		while (end - p >= 8 && *p == ' ');
		if (end - p < 8)
			return take_any(p, end, value);
	}
	uint64_t x = digits_load(p);
	unsigned n = digits_count(x);
	if (n - 1 < 7) {
		*value = n == 1 ? x & 0xf : digits_join_some(x, n);	/* most numbers are 0 */
		return p + n;
	}
	if (n == 0)
		return take_any(p, end, value);
	uint64_t more = end - p >= 16 ? digits_load(p + 8) : load_last(p + 8, end);
	n = digits_count(more);
	if (n == 8)
		return take_any(p, end, value);
	p += 8;
	*value = n ? digits_join_some(x, n) * 100000000 + digits_join(digits_load(p + n - 8)) :
		     digits_join(x);
	return p + n;
}

bool str_take_hex(struct str *in, uint64_t *value)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	struct str s = *in;
	uint64_t v = 0;
	for (const char *at; s.n && (at = memchr(digits, *s.p, sizeof(digits) - 1)); ) {
		if (v >> 60)
			return false;
		v = v << 4 | (uint64_t)(at - digits - (at - digits > 15 ? 6 : 0));
		s = str_skip(s, 1);
	}
	if (s.n == in->n)
		return false;
	*value = v;
	*in = s;
	return true;
}

bool str_is_u64(struct str s)
{
	uint64_t v;
	return str_peek(s) >= '0' && str_take_u64(&s, &v) && s.n == 0;
}

bool str_take_time(struct str *in, int64_t *usec)
{
	struct str s = *in;
	uint64_t sec;
	int64_t v;
	if (str_peek(s) == ' ' || !str_take_u64(&s, &sec) || sec > INT64_MAX / 1000000 - 1)
		return false;

	v = (int64_t)sec * 1000000;
	if (str_peek(s) == '.') {
		s = str_skip(s, 1);
		for (int64_t unit = 100000; str_peek(s) >= '0' && str_peek(s) <= '9'; unit /= 10) {
			v += (*s.p - '0') * unit;	/* unit is 0 after the sixth digit */
			s = str_skip(s, 1);
		}
	}
	*usec = v;
	*in = s;
	return true;
}

bool str_copy(char *to, size_t size, struct str s)
{
	size_t n = s.n < size - 1 ? s.n : size - 1;
	if (n)
		memcpy(to, s.p, n);
	to[n] = '\0';
	return n == s.n;
}

bool str_take_range(struct str *list, unsigned limit, unsigned *first, unsigned *last)
{
	struct str in = *list;
	uint64_t a, b, next;
	if (!str_take_u64(&in, &a) || a >= limit)
		return false;
	b = a;
	if (str_take_prefix(&in, STR("-")) && !str_take_u64(&in, &b))
		return false;
	if (b < a || b >= limit)
		return false;
	str_take_prefix(&in, STR(","));
	struct str rest = in;
	if (str_take_u64(&rest, &next) && next <= b)
		/* end a list that is not ascending here, so that the caller's loop ends */
		in.n = 0;
	*first = (unsigned)a;
	*last = (unsigned)b;
	*list = in;
	return true;
}
