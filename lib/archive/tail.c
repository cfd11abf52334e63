/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.c - find the end of the last complete record group of a file */
#include "archive/tail.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"

#define TAIL_FIRST 16384
#define TAIL_MAX   (64u << 20)	/* bytes; limit of the size of a record */
/* bytes; a text of this size without a complete record comes from another program */
#define FOREIGN_MAX (1u << 20)

/*
 * Returns the size of the record if it is complete: up to the row "nodometer - CPU BYTES ROWS ...",
 * if ROWS is the number of rows, including this one. Otherwise returns 0.
 */
static size_t tail_whole_part(struct str group)
{
	struct str line, rest = group;
	uint64_t rows = 0, value = 0;
	bool more = str_take_line(&rest, &line) && line.n;
	while (more && str_take_line(&rest, &line)) {
		const char *end = line.p + line.n;
		if (str_peek(line) == '%' || str_peek(line) == '$' || str_peek(line) == '!')
			continue;
		rows++;
		if (!str_take_prefix(&line, STR("nodometer - ")))
			continue;
		for (int i = 0; i < 3 && more; i++)
			more = str_take_u64(&line, &value);
		if (!more || value != rows || str_peek(line) != ' ' || end == group.p + group.n)
			return 0;
		return (size_t)(end + 1 - group.p);
	}
	return 0;
}

bool tail_group_is_whole(struct str group)
{
	return group.n && tail_whole_part(group) == group.n;
}

/* Get the text after the last blank line. Returns false if there is no blank line. */
static bool tail_last_group(struct str text, struct str *group)
{
	for (size_t i = text.n; i >= 2; i--)
		if (text.p[i - 1] == '\n' && text.p[i - 2] == '\n') {
			*group = str_skip(text, i);
			return true;
		}
	return false;
}

/*
 * Returns the position of a blank line (two newlines), or NULL. memmem(3) would take six
 * instructions per byte.
 */
static const char *tail_find_blank(struct str s)
{
	const char *p = s.p, *end = s.p + s.n;
	while ((p = memchr(p, '\n', (size_t)(end - p))) && p + 1 < end && p[1] != '\n')
		p++;
	return p && p + 1 < end ? p : NULL;
}

struct str tail_take_block(struct str *rest)
{
	const char *next = tail_find_blank(*rest);
	struct str block = { rest->p, next ? (size_t)(next + 1 - rest->p) : rest->n };
	*rest = str_skip(*rest, block.n);
	return block;
}

bool tail_ends_whole(struct str text)
{
	struct str group;
	return tail_last_group(text, &group) && tail_group_is_whole(group);
}

static bool tail_has_title(struct str group, int64_t *usec)
{
	return str_take_time(&group, usec) && str_peek(group) == ' ';
}

/*
 * Find the end of the last complete record in the text. A record of another program has no row with
 * the number of its rows. If no record has such a row, and the text is the whole file (`all`) or
 * has at least FOREIGN_MAX bytes, all records but the last count as whole.
 */
static bool tail_find_end(struct str text, bool all, size_t *end, int64_t *last_us)
{
	struct str group;
	bool last = true, foreign = false;
	size_t n = text.n;
	int64_t usec;
	for (*last_us = 0; tail_last_group(text, &group); last = false) {
		size_t at = (size_t)(group.p - text.p), whole = tail_whole_part(group);
		bool titled = tail_has_title(group, &usec);
		if (titled && whole) {
			*last_us = usec;
			*end = at + whole;
			return true;
		}
		if (titled && !last && !foreign)
			*end = text.n;
		foreign |= titled && !last;
		text.n = at - 1;
	}
	if (!foreign)
		*end = last ? 0 : text.n;
	return all || (foreign && n >= FOREIGN_MAX);
}

static int tail_read_at(int fd, char *to, size_t n, off_t at)
{
	while (n) {
		ssize_t got = pread(fd, to, n, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		to += got;
		at += got;
		n -= (size_t)got;
	}
	return 0;
}

int tail_find_whole(int fd, off_t size, off_t *whole, int64_t *last_us)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t end;

	for (size_t n = TAIL_FIRST; ; n *= 4) {
		if ((off_t)n > size)
			n = (size_t)size;
		b.n = 0;
		buf_reserve(&b, n + 1);
		int r = tail_read_at(fd, b.p, n, size - (off_t)n);
		if (r < 0)
			return r;
		b.n = n;
		if (tail_find_end(buf_str(&b), (off_t)n == size, &end, last_us)) {
			*whole = size - (off_t)(n - end);
			return 0;
		}
		if (n >= TAIL_MAX)
			return -EFBIG;
	}
}
