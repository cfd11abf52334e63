/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.c - where the whole record groups of a file of ours end */
#include "archive/tail.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"

#define TAIL_FIRST 16384
#define TAIL_MAX   (64u << 20)	/* no group is larger */

bool tail_group_is_whole(struct str group)
{
	struct str line, last = { 0 };
	uint64_t rows = 0, value = 0;

	if (group.n == 0 || group.p[group.n - 1] != '\n' || !str_take_line(&group, &line))
		return false;
	while (str_take_line(&group, &line)) {
		if (str_peek(line) == '%' || str_peek(line) == '$' || str_peek(line) == '!')
			continue;
		rows++;
		last = line;
	}
	if (!str_take_prefix(&last, STR("nodometer - ")))
		return false;
	for (int i = 0; i < 3; i++)	/* cpu bytes rows */
		if (!str_take_u64(&last, &value))
			return false;
	return value == rows && last.n && str_peek(last) == ' ';
}

/* From the last blank line on; nothing if there is no blank line in the text. */
static bool last_group(struct str text, struct str *group)
{
	for (size_t i = text.n; i >= 2; i--)
		if (text.p[i - 1] == '\n' && text.p[i - 2] == '\n') {
			*group = str_skip(text, i);
			return true;
		}
	return false;
}

bool tail_ends_whole(struct str text)
{
	struct str group;
	return last_group(text, &group) && tail_group_is_whole(group);
}

/* After a power cut some file systems show zeros where the last write had not reached the disk. */
static struct str without_zeros(struct str text)
{
	while (text.n && text.p[text.n - 1] == '\0')
		text.n--;
	return text;
}

static int read_at(int fd, char *to, size_t n, off_t at)
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
	struct str text, group;

	*last_us = 0;
	for (size_t n = TAIL_FIRST; ; n *= 4) {
		if ((off_t)n > size)
			n = (size_t)size;
		b.n = 0;
		buf_reserve(&b, n + 1);
		int r = read_at(fd, b.p, n, size - (off_t)n);
		if (r < 0)
			return r;
		b.n = n;
		text = without_zeros(buf_str(&b));
		if (last_group(text, &group)) {
			off_t end = size - (off_t)(n - text.n);
			*whole = end - (off_t)group.n - 1;
			if (tail_group_is_whole(group) && str_take_time(&group, last_us))
				*whole = end;
			return 0;
		}
		if ((off_t)n == size) {
			*whole = 0;
			return 0;
		}
		if (n >= TAIL_MAX)
			return -EFBIG;
	}
}
