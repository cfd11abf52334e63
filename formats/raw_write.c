/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_write.c - prints the pieces of an hpcperfstats raw file */
#include "formats/raw_write.h"

#include <string.h>
#include "schema/node_schema.h"

static void add_clean(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		buf_add_char(b, c < ' ' || c == 0x7f ? '?' : (char)c);
	}
}

void raw_put_property(struct buf *b, const char *name, struct str value)
{
	buf_add_char(b, '$');
	buf_add(b, str_of(name));
	buf_add_char(b, ' ');
	add_clean(b, value);
	buf_add_char(b, '\n');
}

void raw_put_below(struct buf *b, const char *type, struct str lines)
{
	struct str line;
	if (!lines.n)
		raw_put_property(b, "below", str_of(type));
	while (str_take_line(&lines, &line))
		buf_addf(b, "$below %s " STR_FMT "\n", type, STR_ARG(line));
}

void raw_put_key(struct buf *b, struct str name, enum metric_kind kind, struct str unit,
		 unsigned bits)
{
	buf_add_char(b, ' ');
	buf_add(b, name);
	if (kind == COUNTER)
		buf_add(b, STR(",E"));
	if (kind == CONTROL)
		buf_add(b, STR(",C"));
	if (unit.n) {
		buf_add(b, STR(",U="));
		buf_add(b, unit);
	}
	if (bits && bits != 64) {
		buf_add(b, STR(",W="));
		buf_add_u64(b, bits);
	}
}

void raw_put_schema(struct buf *b, const char *type, const struct metric *m, size_t n,
		    const uint64_t *mask)
{
	buf_add_char(b, '!');
	buf_add(b, str_of(type));
	for (size_t i = 0; i < n; i++)
		if (mask[i / 64] >> i % 64 & 1)
			raw_put_key(b, str_of(m[i].name), m[i].kind, str_of(m[i].unit), m[i].bits);
	buf_add_char(b, '\n');
}

void raw_put_time(struct buf *b, int64_t usec)
{
	buf_add_u64(b, (uint64_t)(usec / 1000000));
	unsigned fraction = (unsigned)(usec % 1000000);
	if (fraction == 0)
		return;

	buf_add_char(b, '.');
	for (unsigned unit = 100000; fraction; unit /= 10) {
		buf_add_char(b, (char)('0' + fraction / unit));
		fraction %= unit;
	}
}

void raw_put_group(struct buf *b, int64_t usec, struct str jobs, struct str host)
{
	buf_add_char(b, '\n');
	raw_put_time(b, usec);
	buf_add_char(b, ' ');
	buf_add(b, jobs.n ? jobs : STR("-"));
	if (host.n) {
		buf_add_char(b, ' ');
		buf_add(b, host);
	}
	buf_add_char(b, '\n');
}

void raw_put_mark(struct buf *b, struct str text)
{
	buf_add_char(b, '%');
	add_clean(b, text);
	buf_add_char(b, '\n');
}

/* The values of one row, each after a blank, and the newline; room is there. */
static char *put_values(char *p, const uint64_t *value, const uint64_t *mask, size_t words)
{
	for (size_t w = 0; w < words; w++)
		for (uint64_t left = mask[w]; left; left &= left - 1) {
			uint64_t v = value[64 * w + (size_t)__builtin_ctzll(left)];
			*p++ = ' ';
			if (v < 10)	/* most are 0 */
				*p++ = (char)('0' + v);
			else
				p = u64_put(p, v);
		}
	*p++ = '\n';
	return p;
}

size_t raw_put_rows(struct buf *b, const char *type, const struct rows *r,
		    const uint64_t *mask)
{
	struct str name = str_of(type);
	size_t written = 0, words = rows_words(r);
	for (size_t i = 0; i < r->n; i++) {
		struct str device = rows_device(r, i);
		if (!row_has_all(r, i, mask))
			continue;
		buf_reserve(b, name.n + device.n + words * 64 * (1 + U64_DIGITS) + 2);
		char *p = mempcpy(b->p + b->n, name.p, name.n);
		*p++ = ' ';
		p = mempcpy(p, device.p, device.n);
		p = put_values(p, rows_values(r, i), mask, words);
		b->n = (size_t)(p - b->p);
		written++;
	}
	return written;
}
