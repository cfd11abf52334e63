/* SPDX-License-Identifier: BSD-3-Clause */
/* saved_state.c - save the receiver's state to a file for the next run */
#include "xrootd/state/saved_state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "xrootd/state/state_parts.h"

/* Increase the number at the end with each change of the format. */
static const char magic[] = "nodometer-xrootd state 13\n";

enum { SUM_BYTES = 8 };

#define STATE_MAX ((off_t)8 << 30)

void state_put(struct buf *b, const struct xrd_join *j, const struct xrd_sums *sums,
	       const struct saved_output *o)
{
	struct buf body CLEANUP(buf_free) = { 0 };
	wire_put(&body, (uint64_t)o->last_us, 8);
	wire_put(&body, o->size, 8);
	wire_put(&body, o->begun, 1);
	wire_put(&body, o->ended, 1);
	wire_put(&body, o->bytes, 8);
	for (size_t i = 0; i < SAVED_LINES; i++) {
		state_put_text(&body, o->lines[i].text ? buf_str(o->lines[i].text) : STR(""));
		wire_put(&body, o->lines[i].size, 8);
	}
	join_put_state(&body, j);
	wire_put(&body, sums != NULL, 1);
	if (sums)
		sums_put_state(&body, sums);
	wire_put(&body, sums && o->reports, 1);
	if (sums && o->reports)
		reports_put_state(&body, o->reports);
	buf_add(b, str_of(magic));
	wire_put(b, str_hash(buf_str(&body)), SUM_BYTES);
	buf_add(b, buf_str(&body));
}

static void state_take_sums(struct wire *w, struct xrd_sums *sums, const struct saved_output *o)
{
	sums_take_state(w, sums);
	if (wire_u8(w) && o->reports)
		reports_take_state(w, o->reports);
}

int state_take(struct str text, struct xrd_join *j, struct xrd_sums *sums, struct saved_output *o)
{
	if (!str_take_prefix(&text, str_of(magic)))
		return -EPROTO;
	struct wire w = wire_of(text);
	uint64_t sum = wire_u64(&w);
	if (w.bad || sum != str_hash((struct str){ (const char *)w.p, w.n }))
		return -EBADMSG;
	o->last_us = (int64_t)wire_u64(&w);
	o->size = wire_u64(&w);
	o->begun = wire_u8(&w);
	o->ended = wire_u8(&w);
	o->bytes = wire_u64(&w);
	for (size_t i = 0; i < SAVED_LINES; i++) {
		struct str lines = state_take_text(&w);
		if (o->lines[i].text && !w.bad)
			buf_add(o->lines[i].text, lines);
		o->lines[i].size = wire_u64(&w);
	}
	join_take_state(&w, j);
	bool has_sums = wire_u8(&w);
	if (has_sums && sums)
		state_take_sums(&w, sums, o);
	else
		o->begun = false;
	return w.bad ? -EBADMSG : 0;
}

int state_save(const char *path, const struct xrd_join *j, const struct xrd_sums *sums,
	       const struct saved_output *o)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	state_put(&b, j, sums, o);
	return files_replace(path, buf_str(&b));
}

/* Overwrite an open file. Returns 0 or -errno; -EACCES if the file was removed. */
int state_save_into(int fd, const struct xrd_join *j, const struct xrd_sums *sums,
		    const struct saved_output *o)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct stat st;
	if (fstat(fd, &st) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	if (st.st_nlink == 0)
		return -EACCES;
	state_put(&b, j, sums, o);
	int r = files_write(fd, buf_str(&b));
	return r == 0 && ftruncate(fd, (off_t)b.n) < 0 ? -errno : r;
}

static bool state_has_magic(const struct buf *b)
{
	struct str text = buf_str(b);
	return b->n < sizeof(magic) || str_take_prefix(&text, str_of(magic));
}

/* Read a regular file. Refuse a pipe or device, which may have no end. Returns 0 or -errno. */
static int state_read_file(int fd, struct buf *b)
{
	struct stat st;
	ssize_t n;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > STATE_MAX)
		return -EFBIG;
	do {
		if (!state_has_magic(b))
			return -EPROTO;
		buf_reserve(b, 1 << 20);
		n = read(fd, b->p + b->n, b->cap - b->n);
		b->n += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

int state_load_from(int fd, struct xrd_join *j, struct xrd_sums *sums, struct saved_output *o)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int r = state_read_file(fd, &b);
	if (r == 0 && b.n == 0)		/* an empty file was made by keeper_open() */
		return -ENOENT;
	return r < 0 ? r : state_take(buf_str(&b), j, sums, o);
}

int state_load(const char *path, struct xrd_join *j, struct xrd_sums *sums, struct saved_output *o)
{
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : state_load_from(fd, j, sums, o);
}
