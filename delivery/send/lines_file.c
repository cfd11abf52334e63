/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_file.c - read one file of lines, plain or compressed, and recognize it by its content */
#include "send/lines_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"

#define HASHED_BYTES    256	/* longest part of a line that a digest covers, in bytes */
#define READ_BYTES      65536
/* log2 of the largest zstd window accepted: 32 MB; zstd -19 uses windows of 8 MB */
#define WINDOW_LOG_MAX  25
/* value of .head if the first line could not be read; no line has this digest */
#define HEAD_UNREADABLE ((uint64_t)1 << 63)

/*
 * Return the digest of the first line, or of its first HASHED_BYTES bytes. The inode alone does not
 * identify a file: the inode of a removed file is reused, a truncated file keeps its inode, and
 * compression gives a file a new inode. Returns 0 while the line is incomplete.
 */
static uint64_t lines_hash_head(struct str text)
{
	if (text.n > HASHED_BYTES)
		text.n = HASHED_BYTES;
	const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;
	if (!end && text.n < HASHED_BYTES)
		return 0;
	return str_hash((struct str){ text.p, end ? (size_t)(end - text.p) : text.n }) >> 1 | 1;
}

uint64_t lines_hash_tail(struct str text)
{
	if (!text.n)
		return 0;
	if (text.n > HASHED_BYTES)
		text = str_skip(text, text.n - HASHED_BYTES);
	const char *before = memrchr(text.p, '\n', text.n - 1);
	if (before)
		text = str_skip(text, (size_t)(before + 1 - text.p));
	return str_hash(text) >> 1 | 1;
}

static uint64_t lines_head_of(int fd)
{
	char text[HASHED_BYTES];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	return n < 0 ? HEAD_UNREADABLE : lines_hash_head((struct str){ text, (size_t)n });
}

void lines_file_read_head(struct lines_file *f)
{
	uint64_t head = f->head || f->fd < 0 ? 0 : lines_head_of(f->fd);
	if (head && head != HEAD_UNREADABLE)
		f->head = head;
}

bool lines_file_was_truncated(const struct lines_file *f, uint64_t at)
{
	struct stat st;
	if (f->fd < 0 || fstat(f->fd, &st) < 0)
		return false;
	uint64_t head = lines_head_of(f->fd);
	return (uint64_t)st.st_size < at ||
	       (f->head && head != f->head && head != HEAD_UNREADABLE);
}

ssize_t lines_file_read(struct lines_file *f, uint64_t at)
{
	buf_reserve(&f->text, READ_BYTES);
	char *to = f->text.p + f->text.n;
	ssize_t got;
	if (f->input) {
		struct byte_source from = input_bytes(f->input);
		got = from.read(from.arg, to, READ_BYTES);
	} else {
		got = pread(f->fd, to, READ_BYTES, (off_t)at);
		got = got < 0 ? -errno : got;
	}
	if (got > 0)
		f->text.n += (size_t)got;
	return got;
}

/*
 * Return 0 if the text before the cursor's offset is the same as when the cursor was saved, or
 * -ESTALE.
 */
static int lines_check_tail(struct lines_file *f, const struct cursor *at, struct str before)
{
	f->inside_line = before.n && before.p[before.n - 1] != '\n';
	return at->tail && lines_hash_tail(before) != at->tail ? -ESTALE : 0;
}

static int lines_seek_plain(struct lines_file *f, const struct cursor *at)
{
	char before[HASHED_BYTES];
	size_t n = at->offset < sizeof(before) ? (size_t)at->offset : sizeof(before);
	struct stat st;
	if (fstat(f->fd, &st) < 0 || (uint64_t)st.st_size < at->offset)
		return -ESTALE;
	ssize_t got = pread(f->fd, before, n, (off_t)(at->offset - n));
	if (got != (ssize_t)n)
		return got < 0 ? -errno : -ESTALE;
	return lines_check_tail(f, at, (struct str){ before, n });
}

/*
 * Decompress up to the cursor's offset. Memory holds only the last piece and the HASHED_BYTES bytes
 * before it, which the digest may need.
 */
static int lines_seek_packed(struct lines_file *f, const struct cursor *at,
			     const volatile int *stop)
{
	uint64_t end = f->text.n;
	while (end < at->offset) {
		size_t keep = f->text.n < HASHED_BYTES ? f->text.n : HASHED_BYTES;
		memmove(f->text.p, f->text.p + f->text.n - keep, keep);
		f->text.n = keep;
		ssize_t got = lines_file_read(f, end);
		if (got <= 0)
			return got < 0 ? (int)got : -ESTALE;
		end += (uint64_t)got;
		if (*stop)
			return -EINTR;
	}
	size_t left = (size_t)(end - at->offset);
	struct str before = { f->text.p, f->text.n - left };
	int r = lines_check_tail(f, at, before);
	memmove(f->text.p, f->text.p + before.n, left);
	f->text.n = left;
	return r;
}

/* Get the size of the content from the header of a zstd frame with a single segment. */
static uint64_t lines_frame_size(const unsigned char *head)
{
	static const unsigned char id_bytes[] = { 0, 1, 2, 4 };
	const unsigned char *at = head + 5 + id_bytes[head[4] & 3];
	unsigned n = 1u << (head[4] >> 6);
	uint64_t size = n == 2 ? 256 : 0;
	for (unsigned i = 0; i < n; i++)
		size += (uint64_t)at[i] << 8 * i;
	return size;
}

/*
 * Return true if decompressing a .zst file takes more memory than a sender should use, because the
 * window of its first frame is too large (RFC 8878, 3.1.1.1). The window of a frame with a single
 * segment is as large as its content.
 */
static bool lines_needs_much_memory(int fd)
{
	unsigned char head[5 + 4 + 8] = { 0 };
	if (pread(fd, head, sizeof(head), 0) < 6 || memcmp(head, "\x28\xb5\x2f\xfd", 4) != 0)
		return false;
	return head[4] & 0x20 ? lines_frame_size(head) > (uint64_t)1 << WINDOW_LOG_MAX :
	       10 + (head[5] >> 3) + ((head[5] & 7) != 0) > WINDOW_LOG_MAX;
}

static int lines_open_packed(struct lines_file *f, int *fd)
{
	ssize_t got = 1;
	if (lines_needs_much_memory(*fd)) {
		close_fd(fd);
		return -EFBIG;
	}
	int r = input_take_file(*fd, &f->input);
	*fd = -1;
	while (r == 0 && got > 0 && f->text.n < HASHED_BYTES) {
		got = lines_file_read(f, 0);
		r = got < 0 ? (int)got : 0;
	}
	f->head = lines_hash_head(buf_str(&f->text));
	return r;
}

static int lines_open_any(struct lines_file *f, const struct rotated_file *from)
{
	struct stat st;
	int fd = open(from->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || rotated_inode(&st) != from->inode) {
		close_fd(&fd);
		return -ENOENT;		/* the file was renamed after it was listed */
	}
	f->inode = from->inode;
	f->mtime_ns = rotated_mtime_ns(&st);
	f->current = from->current;
	if (from->packed)
		return lines_open_packed(f, &fd);
	f->fd = fd;
	lines_file_read_head(f);
	return 0;
}

int lines_file_open(struct lines_file *ret, const struct rotated_file *from,
		    const struct cursor *at, const volatile int *stop)
{
	struct lines_file f = { .fd = -1 };
	int r = lines_open_any(&f, from);
	if (r == 0 && at && (at->head ? f.head != at->head : f.inode != at->epoch))
		r = -ESTALE;
	if (r == 0 && at)
		r = f.input ? lines_seek_packed(&f, at, stop) : lines_seek_plain(&f, at);
	if (r < 0)
		lines_file_close(&f);
	else
		*ret = f;
	return r;
}

void lines_file_close(struct lines_file *f)
{
	close_fd(&f->fd);
	input_free(f->input);
	buf_free(&f->text);
	*f = (struct lines_file){ .fd = -1 };
}
