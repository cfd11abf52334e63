/* SPDX-License-Identifier: BSD-3-Clause */
/* text_at.c - read text of an archive's file at any offset, also while it grows */
#include "archive/text_at.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/files.h"

void text_at_close(struct text_at *t)
{
	input_free(t->input);
	close_fd(&t->fd);
	buf_free(&t->path);
	*t = (struct text_at){ .fd = -1 };
}

static int text_at_open_compressed(struct text_at *t)
{
	static const char *const suffixes[] = { ".zst", ".gz" };
	int r = -ENOENT;
	input_free(t->input);
	t->input = NULL;
	t->at = 0;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && r == -ENOENT; i++) {
		struct buf path CLEANUP(buf_free) = { 0 };
		buf_addf(&path, "%s%s%c", t->path.p, suffixes[i], '\0');
		r = input_open(path.p, &t->input);
	}
	return r;
}

int text_at_open(struct text_at *t, const char *dir, const char *host, int64_t epoch)
{
	if (t->path.n && t->epoch == epoch)
		return 0;
	text_at_close(t);
	buf_addf(&t->path, "%s/%s/%lld%c", dir, host, (long long)epoch, '\0');
	t->epoch = epoch;
	t->fd = open(t->path.p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int r = t->fd >= 0 ? 0 : errno == ENOENT ? text_at_open_compressed(t) : -errno;
	if (r < 0)
		text_at_close(t);
	return r;
}

/*
 * Read the next n bytes. Returns their number, which is less than n only at the end of the text, or
 * -errno.
 */
static ssize_t text_at_read_on(struct text_at *t, char *to, size_t n)
{
	const struct byte_source s = input_bytes(t->input);
	size_t have = 0;
	while (have < n) {
		ssize_t got = s.read(s.arg, to + have, n - have);
		if (got < 0)
			return got;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	t->at += have;
	return (ssize_t)have;
}

static ssize_t text_at_read_compressed(struct text_at *t, char *to, size_t n, uint64_t at)
{
	char skipped[16384];
	int r = at < t->at ? text_at_open_compressed(t) : 0;
	if (r < 0)
		return r;
	while (t->at < at) {
		uint64_t left = at - t->at;
		size_t most = left < sizeof(skipped) ? (size_t)left : sizeof(skipped);
		ssize_t got = text_at_read_on(t, skipped, most);
		if (got <= 0)
			return got;
	}
	return text_at_read_on(t, to, n);
}

ssize_t text_at_read(struct text_at *t, char *to, size_t n, uint64_t at)
{
	if (t->input)
		return text_at_read_compressed(t, to, n, at);
	size_t have = 0;
	while (have < n) {
		ssize_t got = pread(t->fd, to + have, n - have, (off_t)(at + have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}
