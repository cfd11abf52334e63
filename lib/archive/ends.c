/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c - both ends of a file of records: its first header, and its last record groups */
#include "archive/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "archive/index.h"
#include "archive/input.h"
#include "archive/remote.h"
#include "base/files.h"

#define CHUNK      65536
#define HEADER_MAX (1u << 20)
#define FRAME_MAX  (4u << 20)

static void end_input(struct input **in)
{
	input_free(*in);
}

/* The place behind the first empty line at from or later; 0: there is none. */
static size_t after_empty_line(const struct buf *b, size_t from)
{
	for (size_t i = from + 1; i < b->n; i++)
		if (b->p[i] == '\n' && b->p[i - 1] == '\n')
			return i + 1;
	return 0;
}

/* Takes away what stands between the header and the first group that begins at from or later. */
static void cut_front(struct buf *b, size_t header, size_t from)
{
	size_t first = after_empty_line(b, from);
	if (!first)
		first = b->n;
	memmove(b->p + header, b->p + first, b->n - first);
	b->n -= first - header;
}

/* 1: more has come, 0: the file ends, or -errno. */
static int read_more(const struct byte_source *s, struct buf *b)
{
	buf_reserve(b, CHUNK);
	ssize_t got = s->read(s->arg, b->p + b->n, CHUNK);
	if (got > 0)
		b->n += (size_t)got;
	return got > 0 ? 1 : (int)got;
}

/* As the header of a file that is being written has no group yet, its end counts as one. */
static int read_header(const struct byte_source *s, struct buf *b, size_t *header)
{
	int more = 1;
	*header = 0;
	while (more > 0 && !*header && b->n < HEADER_MAX) {
		size_t seen = b->n ? b->n - 1 : 0;
		more = read_more(s, b);
		*header = after_empty_line(b, seen);
	}
	if (more == 0 && !*header)
		*header = b->n;
	return more < 0 ? more : more > 0 && !*header ? -EBADMSG : 0;
}

/* The groups from about that place of a plain file on. */
static int read_from(const char *path, int64_t at, struct buf *b)
{
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
	size_t header = b->n;
	ssize_t got;
	if (fd < 0)
		return -errno;
	do {
		buf_reserve(b, CHUNK);
		got = pread(fd, b->p + b->n, CHUNK, at);
		at += got > 0 ? got : 0;
		b->n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	if (got < 0)
		return -errno;
	cut_front(b, header, header);
	return 0;
}

/* The groups from where the header ends on, of which the last ones stay. */
static int read_through(const struct byte_source *s, struct buf *b, size_t header, size_t tail)
{
	int more;
	while ((more = read_more(s, b)) > 0)
		if (b->n - header > 4 * tail)
			cut_front(b, header, b->n - tail);
	if (b->n - header > tail)
		cut_front(b, header, b->n - tail);
	return more;
}

/* The last frame of a compressed file of ours: false where it has not so many bytes. */
static bool read_last_frame(const char *path, size_t tail, struct buf *b)
{
	struct buf end CLEANUP(buf_free) = { 0 };
	struct input *in CLEANUP(end_input) = NULL;
	struct str index;
	uint64_t at;
	int more = 1;
	if (remote_is(path) || index_read(path, &end, &index) < 0 || !index_last_frame(index, &at))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		lseek(fd, (off_t)at, SEEK_SET);	/* a place that is none stays the begin */
	if (input_take_file(fd, &in) < 0)
		return false;
	const struct byte_source s = input_bytes(in);
	while (more > 0 && b->n < FRAME_MAX)
		more = read_more(&s, b);
	return more == 0 && b->n >= tail;
}

int ends_read(const char *path, size_t tail, struct buf *text)
{
	struct input *in CLEANUP(end_input) = NULL;
	struct buf last CLEANUP(buf_free) = { 0 };
	size_t header;
	text->n = 0;
	int r = input_open(path, &in);
	if (r < 0)
		return r;
	const struct byte_source s = input_bytes(in);
	r = read_header(&s, text, &header);
	if (r < 0)
		return r;
	int64_t size = input_plain_size(in);
	if (size < 0 && read_last_frame(path, tail, &last)) {
		text->n = header;
		buf_add(text, buf_str(&last));
		cut_front(text, header, text->n - tail);
		return 0;
	}
	if (size < (int64_t)(text->n + tail))
		return read_through(&s, text, header, tail);
	text->n = header;
	return read_from(path, size - (int64_t)tail, text);
}
