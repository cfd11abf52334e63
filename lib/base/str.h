/* SPDX-License-Identifier: BSD-3-Clause */
/* str.h - borrowed pieces of text, and functions that parse them from the start */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A borrowed piece of text, not NUL-terminated. Functions str_take_...() remove what they return
 * from the start of *in; on failure they leave *in alone.
 */
struct str {
	const char *p;
	size_t n;
};

#define STR(lit) ((struct str){ (lit), sizeof(lit) - 1 })
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).n, (s).p

/* Return the first character, or '\0' if s is empty. */
static inline char str_peek(struct str s)
{
	return s.n ? *s.p : '\0';
}

/*
 * Skip n characters; n must not exceed s.n. Does not compute NULL + 0, which is undefined (C11,
 * 6.5.6).
 */
static inline struct str str_skip(struct str s, size_t n)
{
	return (struct str){ n ? s.p + n : s.p, s.n - n };
}

/* Hash with 64-bit FNV-1a; the result is the same in all versions and on all machines. */
static inline uint64_t str_hash(struct str s)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return h;
}

static inline struct str str_of(const char *cstr)
{
	return (struct str){ cstr, strlen(cstr) };
}

/* Load n bytes; n must not exceed 8. */
static inline uint64_t str_load(const char *p, size_t n)
{
	uint64_t x = 0;
	memcpy(&x, p, n);
	return x;
}

/*
 * Return whether n bytes are equal. Inline instead of memcmp(3), because names and keys are short.
 */
static inline bool str_same(const char *a, const char *b, size_t n)
{
	if (n >= 8) {
		uint64_t differ = str_load(a + n - 8, 8) ^ str_load(b + n - 8, 8);
		for (size_t i = 0; i + 8 < n; i += 8)
			differ |= str_load(a + i, 8) ^ str_load(b + i, 8);
		return !differ;
	}
	if (n >= 4)
		return str_load(a, 4) == str_load(b, 4) &&
		       str_load(a + n - 4, 4) == str_load(b + n - 4, 4);
	while (n > 0 && a[n - 1] == b[n - 1])
		n--;
	return n == 0;
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* inline, so that comparing with a short literal needs no call */
static inline bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

int str_cmp(struct str a, struct str b);	/* byte order; a shorter prefix comes first */
bool str_ends(struct str s, struct str suffix);
bool str_has(struct str s, char c);
/* true if the text has this line; `wanted` has no newline */
bool str_has_line(struct str text, struct str wanted);
bool str_has_word(struct str text, struct str word);
struct str str_without_end(struct str s, char c);	/* removes each c at the end */
struct str str_trim(struct str s);		/* removes blanks, tabs, CR and LF at both ends */

/* Take a line without its newline. */
static inline bool str_take_line(struct str *in, struct str *line)
{
	if (in->n == 0)
		return false;

	const char *nl = memchr(in->p, '\n', in->n);
	size_t n = nl ? (size_t)(nl - in->p) : in->n;
	*line = (struct str){ in->p, n };
	*in = str_skip(*in, nl ? n + 1 : n);
	return true;
}

static inline bool str_take_prefix(struct str *in, struct str prefix)
{
	if (!str_starts(*in, prefix))
		return false;

	*in = str_skip(*in, prefix.n);
	return true;
}

bool str_take_word(struct str *in, struct str *word);	/* skips leading blanks */
/* takes an item of a list that is separated by blanks, tabs or commas */
bool str_take_item(struct str *in, struct str *item);
/* takes the text before c, and removes c from *in, too */
bool str_take_until(struct str *in, char c, struct str *head);

/*
 * Parse the decimal number at p, skipping blanks before it. Returns the end of the number, or NULL
 * if there is no number or it exceeds 64 bits.
 */
const char *str_u64_at(const char *p, const char *end, uint64_t *value);

/* Take a decimal number, skipping blanks before it. */
static inline bool str_take_u64(struct str *in, uint64_t *value)
{
	if (!in->n)	/* .p may be NULL: do not compute in->p + in->n */
		return false;
	const char *end = in->p + in->n, *after = str_u64_at(in->p, end, value);
	if (!after)
		return false;
	*in = (struct str){ after, (size_t)(end - after) };
	return true;
}

/*
 * Take a number or range, such as "4" or "0-3", and the comma after it, from an ascending list of
 * numbers below limit, such as sysfs has for CPUs.
 */
bool str_take_range(struct str *list, unsigned limit, unsigned *first, unsigned *last);
bool str_take_hex(struct str *in, uint64_t *value);	/* case-insensitive, without "0x" */
/* true if s consists of digits and fits into 64 bits */
bool str_is_u64(struct str s);
bool str_take_time(struct str *in, int64_t *usec);	/* seconds[.fraction] as microseconds */

/* Copy s, truncated to fit and NUL-terminated. Returns false if s was truncated. */
bool str_copy(char *to, size_t size, struct str s);
