/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c - read both ends of a file of records: its first header and its last record groups */
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

static void ends_free_input(struct input **in)
{
	input_free(*in);
}

/* Returns the offset after the first blank line at or after `from`, or 0 if there is none. */
static size_t ends_after_blank_line(const struct buf *b, size_t from)
{
	for (size_t i = from + 1; i < b->n; i++)
		if (b->p[i] == '\n' && b->p[i - 1] == '\n')
			return i + 1;
	return 0;
}

/* Remove the text between the header and the first record at or after offset `from`. */
static void ends_cut_front(struct buf *b, size_t header, size_t from)
{
	size_t first = ends_after_blank_line(b, from);
	if (!first)
		first = b->n;
	memmove(b->p + header, b->p + first, b->n - first);
	b->n -= first - header;
}

/* Append a chunk of text. Returns 1, 0 at the end of the file, or -errno. */
static int ends_read_more(const struct byte_source *s, struct buf *b)
{
	buf_reserve(b, CHUNK);
	ssize_t got = s->read(s->arg, b->p + b->n, CHUNK);
	if (got > 0)
		b->n += (size_t)got;
	return got > 0 ? 1 : (int)got;
}

/* Read the first header, which ends at the first blank line or at the end of the file. */
static int ends_read_header(const struct byte_source *s, struct buf *b, size_t *header)
{
	int more = 1;
	*header = 0;
	while (more > 0 && !*header && b->n < HEADER_MAX) {
		size_t seen = b->n ? b->n - 1 : 0;
		more = ends_read_more(s, b);
		*header = ends_after_blank_line(b, seen);
	}
	if (more == 0 && !*header)
		*header = b->n;
	return more < 0 ? more : more > 0 && !*header ? -EBADMSG : 0;
}

/* Append the records of an uncompressed file, from about offset `at` to its end. */
static int ends_read_from(const char *path, int64_t at, struct buf *b)
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
	ends_cut_front(b, header, header);
	return 0;
}

/* Read the file to its end, but keep only the header and the last records. */
static int ends_read_through(const struct byte_source *s, struct buf *b, size_t header, size_t tail)
{
	int more;
	while ((more = ends_read_more(s, b)) > 0)
		if (b->n - header > 4 * tail)
			ends_cut_front(b, header, b->n - tail);
	if (b->n - header > tail)
		ends_cut_front(b, header, b->n - tail);
	return more;
}

/*
 * Read the last frame of a file that nodometer compressed. Returns false if the frame has fewer
 * than `tail` bytes.
 */
static bool ends_read_last_frame(const char *path, size_t tail, struct buf *b)
{
	struct buf end CLEANUP(buf_free) = { 0 };
	struct input *in CLEANUP(ends_free_input) = NULL;
	struct str index;
	uint64_t at;
	int more = 1;
	if (remote_is(path) || index_read(path, &end, &index) < 0 || !index_last_frame(index, &at))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		/* if the offset is invalid, read the whole file */
		lseek(fd, (off_t)at, SEEK_SET);
	if (input_take_file(fd, &in) < 0)
		return false;
	const struct byte_source s = input_bytes(in);
	while (more > 0 && b->n < FRAME_MAX)
		more = ends_read_more(&s, b);
	return more == 0 && b->n >= tail;
}

int ends_read(const char *path, size_t tail, struct buf *text)
{
	struct input *in CLEANUP(ends_free_input) = NULL;
	struct buf last CLEANUP(buf_free) = { 0 };
	size_t header;
	text->n = 0;
	int r = input_open(path, &in);
	if (r < 0)
		return r;
	const struct byte_source s = input_bytes(in);
	r = ends_read_header(&s, text, &header);
	if (r < 0)
		return r;
	int64_t size = input_plain_size(in);
	if (size < 0 && ends_read_last_frame(path, tail, &last)) {
		text->n = header;
		buf_add(text, buf_str(&last));
		ends_cut_front(text, header, text->n - tail);
		return 0;
	}
	if (size < (int64_t)(text->n + tail))
		return ends_read_through(&s, text, header, tail);
	text->n = header;
	return ends_read_from(path, size - (int64_t)tail, text);
}
