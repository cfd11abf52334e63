/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_write.c - prints the pieces of an hpcperfstats raw file */
#include "formats/raw_write.h"

#include <string.h>
#include "schema/node_schema.h"

#define AT_ONCE 16		/* bytes of a type's or a device's name */
#define LARGE 100000000	/* numbers from it on take several steps to print */

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
	add_clean(b, text);
	buf_add_char(b, '\n');
}

/* A number of 9 to 16 digits that was printed last: times of one sample stand in many rows. */
struct last {
	uint64_t value;
	size_t n;
	char digits[U64_DIGITS];
};

static char *put_large(char *p, uint64_t v, struct last *last)
{
	if (v != last->value) {
		last->value = v;
		last->n = (size_t)(u64_put(last->digits, v) - last->digits);
	}
	memcpy(p, last->digits, sizeof(last->digits));
	return p + last->n;
}

/* Values of a row, each after a blank; room is there. Inlined it would lack registers. */
__attribute__((noinline)) static char *put_values(char *p, const uint64_t *value,
						  const uint64_t *end, struct last *last)
{
	for (; value < end; value++) {
		uint64_t v = *value;
		*p++ = ' ';
		if (v < 10)	/* most are 0 */
			*p++ = (char)('0' + v);
		else
			p = v < LARGE ? u64_put(p, v) : put_large(p, v, last);
	}
	return p;
}

/* The end of the run of keys that begins with the first one of *left, which loses them. */
static unsigned take_run(uint64_t *left)
{
	uint64_t after = *left + (*left & -*left);
	*left &= after;
	return after ? (unsigned)__builtin_ctzll(after) : 64;
}

/* Values of the keys in the mask, which are in few runs. */
__attribute__((noinline)) static char *put_runs(char *p, const uint64_t *value,
						const uint64_t *mask, size_t words,
						struct last *last)
{
	for (size_t w = 0; w < words; w++, value += 64)
		for (uint64_t left = mask[w]; left; ) {
			const uint64_t *first = value + __builtin_ctzll(left);
			p = put_values(p, first, value + take_run(&left), last);
		}
	return p;
}

/* A short name as AT_ONCE bytes, without a call: values overwrite what follows it. */
static char *put_name(char *p, const struct rows *r, struct str name)
{
	if (name.n > AT_ONCE || r->names.p + r->names.cap - name.p < AT_ONCE)
		return mempcpy(p, name.p, name.n);
	memcpy(p, name.p, AT_ONCE);
	return p + name.n;
}

/* A short type, with the blank after it, as AT_ONCE bytes of which only these count. */
static char *put_type(char *p, struct str type, const char *head)
{
	if (type.n < AT_ONCE) {
		memcpy(p, head, AT_ONCE);
		return p + type.n + 1;
	}
	p = mempcpy(p, type.p, type.n);
	*p++ = ' ';
	return p;
}

size_t raw_put_rows(struct buf *b, struct str type, const struct rows *r, const uint64_t *mask)
{
	struct last last = { .value = 0 };
	char head[AT_ONCE + 1] = "";
	size_t written = 0, words = rows_words(r), n_metrics = r->n_metrics;
	size_t most = type.n + words * 64 * (1 + U64_DIGITS) + 2 + AT_ONCE;
	const uint64_t *value = r->value, *present = r->present;
	uint64_t left = words == 1 ? mask[0] : 0;
	unsigned keys = left & 1 ? take_run(&left) : 0;
	if (left)
		keys = 0;
	if (type.n < AT_ONCE)
		*(char *)mempcpy(head, type.p, type.n) = ' ';
	for (size_t i = 0, n = r->n; i < n; i++, value += n_metrics, present += words) {
		struct str device = rows_device(r, i);
		if (words == 1 ? (mask[0] & ~*present) : !keys_have_all(present, mask, words))
			continue;
		buf_reserve(b, most + device.n);
		char *p = b->p + b->n;
		p = put_type(p, type, head);
		p = put_name(p, r, device);
		p = keys ? put_values(p, value, value + keys, &last) :
			   put_runs(p, value, mask, words, &last);
		*p++ = '\n';
		b->n = (size_t)(p - b->p);
		written++;
	}
	return written;
}
