/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_write.c - write the parts of an hpcperfstats raw file */
#include "formats/raw_write.h"

#include <string.h>

#define NAME_BLOCK_BYTES 16	/* names up to this size are copied as one block of this size */
#define LARGE 100000000	/* smallest number that is formatted by raw_put_large() */

static void raw_add_printable(struct buf *b, struct str s)
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
	raw_add_printable(b, value);
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

void raw_put_kinds(struct buf *b, const char *type, const struct metric *m, size_t n,
		   const struct schema_kinds *kinds)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < kinds->n; i++) {
		name.n = 0;
		buf_addf(&name, "%s.%zu", type, i + 2);
		buf_add_char(&name, '\0');
		raw_put_schema(b, name.p, m, n, kinds->mask + i * ((n + 63) / 64));
	}
}

void raw_put_group(struct buf *b, int64_t usec, struct str jobs, struct str host)
{
	buf_add_char(b, '\n');
	buf_add_time(b, usec);
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
	raw_add_printable(b, text);
	buf_add_char(b, '\n');
}

/*
 * The last number of at least 9 digits, and its text, to format it only once: often it is a time
 * that all rows share.
 */
struct raw_last_number {
	uint64_t value;
	size_t n;
	char digits[U64_DIGITS];
};

static char *raw_put_large(char *p, uint64_t v, struct raw_last_number *last)
{
	if (v != last->value) {
		last->value = v;
		last->n = (size_t)(u64_put(last->digits, v) - last->digits);
	}
	memcpy(p, last->digits, sizeof(last->digits));
	return p + last->n;
}

/*
 * Write values, each after a blank; the caller has reserved the space. Not inlined, so that callers
 * have more registers.
 */
NOINLINE static char *raw_put_values(char *p, const uint64_t *value, const uint64_t *end,
				     struct raw_last_number *last)
{
	for (; value < end; value++) {
		uint64_t v = *value;
		*p++ = ' ';
		if (v < 10)	/* fast path: most values are 0 */
			*p++ = (char)('0' + v);
		else
			p = v < LARGE ? u64_put(p, v) : raw_put_large(p, v, last);
	}
	return p;
}

/* Return the end of the first run of set bits in *left, and clear this run. */
static unsigned raw_take_key_run(uint64_t *left)
{
	uint64_t after = *left + (*left & -*left);
	*left &= after;
	return after ? (unsigned)__builtin_ctzll(after) : 64;
}

/*
 * Write the values of the keys in the mask. One call of raw_put_values() writes the values of
 * consecutive keys.
 */
NOINLINE static char *raw_put_key_runs(char *p, const uint64_t *value, const uint64_t *mask,
				       size_t words, struct raw_last_number *last)
{
	for (size_t w = 0; w < words; w++, value += 64)
		for (uint64_t left = mask[w]; left; ) {
			const uint64_t *first = value + __builtin_ctzll(left);
			p = raw_put_values(p, first, value + raw_take_key_run(&left), last);
		}
	return p;
}

/*
 * Write a device name. Copying a short name as a block of NAME_BLOCK_BYTES needs no call; the
 * values overwrite the excess bytes.
 */
static char *raw_put_device(char *p, const struct rows *r, struct str name)
{
	if (name.n > NAME_BLOCK_BYTES || r->names.p + r->names.cap - name.p < NAME_BLOCK_BYTES)
		return mempcpy(p, name.p, name.n);
	memcpy(p, name.p, NAME_BLOCK_BYTES);
	return p + name.n;
}

/*
 * Write a type and a blank. head: the type and the blank, padded to NAME_BLOCK_BYTES, because a
 * copy of this fixed size is fast. If the type is longer, `type` is copied instead of `head`.
 */
static char *raw_put_type(char *p, struct str type, const char *head)
{
	if (type.n < NAME_BLOCK_BYTES) {
		memcpy(p, head, NAME_BLOCK_BYTES);
		return p + type.n + 1;
	}
	p = mempcpy(p, type.p, type.n);
	*p++ = ' ';
	return p;
}

/*
 * Append a row that lacks keys, under a reduced schema such as "ib.2" (see struct schema_kinds).
 * Returns false if no reduced schema has exactly the row's keys.
 */
COLD static bool raw_put_odd_row(struct buf *b, struct str type, const struct rows *r, size_t row,
				 const struct schema_kinds *kinds)
{
	size_t kind = schema_kind_of(r, row, kinds);
	if (kind == kinds->n)
		return false;
	const uint64_t *mask = kinds->mask + kind * rows_words(r), *value = rows_values(r, row);
	buf_add(b, type);
	buf_add_char(b, '.');
	buf_add_u64(b, kind + 2);
	buf_add_char(b, ' ');
	buf_add(b, rows_device(r, row));
	for (size_t k = 0; k < r->n_metrics; k++) {
		if (!(mask[k / 64] >> k % 64 & 1))
			continue;
		buf_add_char(b, ' ');
		buf_add_u64(b, value[k]);
	}
	buf_add_char(b, '\n');
	return true;
}

size_t raw_put_rows(struct buf *b, struct str type, const struct rows *r, const uint64_t *mask,
		    const struct schema_kinds *kinds)
{
	struct raw_last_number last = { .value = 0 };
	char head[NAME_BLOCK_BYTES + 1] = "";
	size_t written = 0, words = rows_words(r), n_metrics = r->n_metrics;
	size_t most = type.n + words * 64 * (1 + U64_DIGITS) + 2 + NAME_BLOCK_BYTES;
	const uint64_t *value = r->value, *present = r->present;
	uint64_t left = words == 1 ? mask[0] : 0;
	unsigned keys = left & 1 ? raw_take_key_run(&left) : 0;
	if (left)
		keys = 0;
	if (type.n < NAME_BLOCK_BYTES)
		*(char *)mempcpy(head, type.p, type.n) = ' ';
	for (size_t i = 0, n = r->n; i < n; i++, value += n_metrics, present += words) {
		struct str device = rows_device(r, i);
		if (words == 1 ? (mask[0] & ~*present) : !keys_have_all(present, mask, words)) {
			written += raw_put_odd_row(b, type, r, i, kinds);
			continue;
		}
		buf_reserve(b, most + device.n);
		char *p = b->p + b->n;
		p = raw_put_type(p, type, head);
		p = raw_put_device(p, r, device);
		p = keys ? raw_put_values(p, value, value + keys, &last) :
			   raw_put_key_runs(p, value, mask, words, &last);
		*p++ = '\n';
		b->n = (size_t)(p - b->p);
		written++;
	}
	return written;
}
