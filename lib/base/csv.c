/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.c - write lines of comma-separated values */
#include "base/csv.h"

#include <inttypes.h>
#include <string.h>
#include "base/utf8.h"

/* Each field ends with a comma; csv_end() replaces the last comma by a newline. */
void csv_raw(struct buf *b, struct str s)
{
	buf_add(b, s);
	buf_add_char(b, ',');
}

void csv_end(struct buf *b)
{
	b->p[b->n - 1] = '\n';
}

void csv_str(struct buf *b, struct str s)
{
	size_t from = b->n;
	if (str_has(s, ',') || str_has(s, '"'))
		buf_add_quoted(b, s, '"');
	else
		buf_add(b, s);
	if (b->n > from)
		utf8_make_printable(b->p + from, b->n - from);
	buf_add_char(b, ',');
}

/*
 * Return whether a spreadsheet takes s for a formula: "=1+1", "+f()", "-f()", "@f()", but not "-"
 * or a number.
 */
static bool is_formula(struct str s)
{
	if (s.n < 2 || !memchr("=+-@", *s.p, 4))
		return false;
	if (*s.p == '=' || *s.p == '@')
		return true;
	for (size_t i = 1; i < s.n; i++)
		if (s.p[i] != '.' && (s.p[i] < '0' || s.p[i] > '9'))
			return true;
	return false;
}

void csv_cell(struct buf *b, struct str s)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	if (is_formula(s))
		buf_add_char(&text, '\'');
	buf_add(&text, s);
	csv_str(b, buf_str(&text));
}

/*
 * Return whether s must be quoted. Without quotes, some readers drop a leading blank, and some take
 * a field "\\." as the end of the data.
 */
static bool needs_quotes(struct str s)
{
	return str_has(s, ',') || str_has(s, '"') || str_has(s, '\r') || str_has(s, '\n') ||
	       str_peek(s) == ' ' || str_eq(s, STR("\\."));
}

void csv_exact(struct buf *b, struct str s)
{
	if (needs_quotes(s))
		buf_add_quoted(b, s, '"');
	else
		buf_add(b, s);
	buf_add_char(b, ',');
}

void csv_int(struct buf *b, int64_t v)
{
	buf_add_i64(b, v);
	buf_add_char(b, ',');
}

void csv_seconds(struct buf *b, int64_t usec)
{
	buf_addf(b, "%" PRId64 ".%06" PRId64 ",", usec / 1000000, usec % 1000000);
}
