/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_feed.c - send the lines of a file that grows and is rotated, instead of records */
#include "send/lines_feed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system/confine.h"
#include "send/feed_deliver.h"

#define LINE_MAX_BYTES  (1u << 20)	/* longer lines are left out */
#define HEAD_BYTES      256
#define HEAD_UNREADABLE ((uint64_t)1 << 63)	/* outside the range of the hashes */
#define POLL_NS         500000000	/* time between two reads at the end of the file */
/* interval at which the cursor's time moves on if there are no new lines */
#define CURSOR_TIME_US        60000000

struct lines_reader {
	struct feed *feed;
	int fd;
	struct buf text;	/* bytes after the last complete line */
	bool too_long;		/* skip everything up to the next newline */
};

static int64_t lines_inode(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_ino : 0;
}

/*
 * Hash the first line of the file, or a part of it. The inode alone does not identify a file: an
 * inode is reused after its file was removed, and a truncated file keeps its inode. Returns 0 while
 * the line is incomplete, and HEAD_UNREADABLE if the disk cannot read it now.
 */
static uint64_t lines_hash_head(int fd)
{
	char text[HEAD_BYTES];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	if (n < 0)
		return HEAD_UNREADABLE;
	const char *end = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
	if (!end && n < (ssize_t)sizeof(text))
		return 0;
	return str_hash((struct str){ text, end ? (size_t)(end - text) : (size_t)n }) >> 1 | 1;
}

static bool lines_is_cursor_file(const struct cursor *c, int fd)
{
	return lines_inode(fd) == c->epoch && (!c->head || lines_hash_head(fd) == c->head);
}

static int lines_open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/*
 * Open the cursor's file after a rename in the same folder, as lines.json.1. Returns the
 * descriptor, or -1.
 */
static int lines_open_renamed(const char *path, const struct cursor *c)
{
	char dir[KEY_TEXT_MAX];
	const char *base = strrchr(path, '/') + 1;
	struct dirent *e;
	int fd = -1;
	confine_parent(path, dir, sizeof(dir));
	DIR *d = opendir(dir);
	while (d && fd < 0 && (e = readdir(d))) {
		if (strncmp(e->d_name, base, strlen(base)) != 0 || (int64_t)e->d_ino != c->epoch)
			continue;
		fd = openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && !lines_is_cursor_file(c, fd)) {
			close_fd(&fd);
			fd = -1;
		}
	}
	if (d)
		closedir(d);
	return fd;
}

static void lines_begin_at(struct lines_reader *l, int64_t inode, uint64_t offset)
{
	l->feed->follow.epoch = inode;
	l->feed->follow.at = offset;
	uint64_t head = lines_hash_head(l->fd);
	l->feed->head = head == HEAD_UNREADABLE ? 0 : head;
	l->text.n = 0;
	l->too_long = false;
}

static void lines_warn_lost(struct feed *f)
{
	f->cursor.lost_files++;
	say_warning(f->node->sink.listener, "[sink %s] %s: the file that was read last is not "
		    "there under any name: lines after its byte %llu are lost to the sink",
		    f->section->name, f->section->lines,
		    (unsigned long long)f->cursor.offset);
}

/*
 * Open the file and go to the cursor. Returns 0, -ENOENT if there is no file yet, or another
 * -errno.
 */
static int lines_open_first(struct lines_reader *l)
{
	struct feed *f = l->feed;
	const char *path = f->section->lines;
	struct stat st;
	l->fd = lines_open_file(path);
	bool same = l->fd >= 0 && lines_is_cursor_file(&f->cursor, l->fd);
	int before = f->cursor.epoch && !same ? lines_open_renamed(path, &f->cursor) : -1;
	if (before >= 0) {
		close_fd(&l->fd);
		l->fd = before;
		same = true;
	}
	if (l->fd < 0)
		return l->fd;
	if (f->cursor.epoch && !same)
		lines_warn_lost(f);
	if (same)
		lines_begin_at(l, f->cursor.epoch, f->cursor.offset);
	else
		lines_begin_at(l, lines_inode(l->fd),
			       f->follow.newest && fstat(l->fd,
							 &st) == 0 ? (uint64_t)st.st_size : 0);
	f->follow.newest = false;
	feed_move_on(f);
	return 0;
}

static int lines_send_line(struct lines_reader *l, struct str line)
{
	struct feed *f = l->feed;
	f->follow.at += line.n + 1;
	if (l->too_long || !line.n) {
		l->too_long = false;
		return 0;
	}
	if (f->node->dry)
		feed_count_one(f, realtime_us());
	else
		feed_keep_rate(f);
	return *f->node->stop ? -EINTR : feed_put_line(f, line);
}

/* Send the complete lines that were read. Returns as feed_put_line(). */
static int lines_send_lines(struct lines_reader *l)
{
	struct str rest = buf_str(&l->text), line;
	int r = 0;
	while (r == 0 && str_take_until(&rest, '\n', &line))
		r = lines_send_line(l, line);
	if (r == 0 && rest.n > LINE_MAX_BYTES) {
		say_warning(l->feed->node->sink.listener, "%s: a line of over %u bytes is left out",
			    l->feed->section->lines, LINE_MAX_BYTES);
		l->feed->follow.at += rest.n;
		l->too_long = true;
		rest.n = 0;
	}
	memmove(l->text.p, rest.p, rest.n);
	l->text.n = rest.n;
	return r;
}

/*
 * Return true if the file is shorter than what was read from it, or was shorter and has grown
 * again.
 */
static bool lines_was_truncated(const struct lines_reader *l, uint64_t at)
{
	struct stat st;
	if (fstat(l->fd, &st) < 0)
		return false;
	uint64_t head = lines_hash_head(l->fd);
	return (uint64_t)st.st_size < at ||
	       (l->feed->head && head != l->feed->head && head != HEAD_UNREADABLE);
}

static void lines_restart_truncated(struct lines_reader *l, uint64_t at)
{
	struct feed *f = l->feed;
	f->cursor.lost_files++;
	say_warning(f->node->sink.listener, "[sink %s] %s: the file was truncated after its byte "
		    "%llu was read; lines that it had after that byte are lost to the sink; "
		    "rotate it by renaming, not by copytruncate", f->section->name,
		    f->section->lines, (unsigned long long)at);
	lines_begin_at(l, f->follow.epoch, 0);
}

/*
 * Read more bytes and send the lines. Returns 1 if there were more bytes, 0 at the end of the file,
 * or as feed_put_line().
 */
static int lines_read_more(struct lines_reader *l)
{
	uint64_t at = l->feed->follow.at + l->text.n;
	if (lines_was_truncated(l, at)) {
		lines_restart_truncated(l, at);
		return 0;
	}
	buf_reserve(&l->text, 65536);
	ssize_t got = pread(l->fd, l->text.p + l->text.n, 65536, (off_t)at);
	if (got <= 0)
		return 0;
	l->text.n += (size_t)got;
	if (!l->feed->head) {
		uint64_t head = lines_hash_head(l->fd);
		l->feed->head = head == HEAD_UNREADABLE ? 0 : head;
	}
	int r = lines_send_lines(l);
	return r < 0 ? r : 1;
}

/*
 * Return true if another file has the name now, for long enough that no writer appends to the old
 * file any more.
 */
static bool lines_is_rotated(const struct lines_reader *l, int64_t *rotated_ns)
{
	struct stat st;
	bool other = stat(l->feed->section->lines, &st) == 0 &&
		     (int64_t)st.st_ino != l->feed->follow.epoch;
	if (!other)
		*rotated_ns = 0;
	else if (!*rotated_ns)
		*rotated_ns = monotonic_ns();	/* a writer may still have the old file open */
	return other && monotonic_ns() - *rotated_ns > 4 * (int64_t)POLL_NS;
}

/*
 * Deliver buffered lines. Then move the cursor's time on even if there are no new lines, to show
 * that nothing is missing.
 */
static int lines_flush(struct feed *f)
{
	int r = f->n ? feed_flush(f) : 0;
	if (r == 0 && realtime_us() - f->cursor.usec > CURSOR_TIME_US) {
		f->cursor.usec = realtime_us();
		f->changed = true;
	}
	feed_save(f, true);
	return r;
}

static int lines_follow(struct lines_reader *l)
{
	struct feed *f = l->feed;
	int64_t rotated_ns = 0;
	while (!*f->node->stop) {
		int r = lines_read_more(l);
		if (r == 0)
			r = lines_flush(f) < 0 ? -EINTR : 0;
		if (r < 0 || (r == 0 && f->follow.once))
			return r;
		if (r == 0 && lines_is_rotated(l, &rotated_ns) && lines_read_more(l) == 0)
			return 0;
		if (r == 0)
			feed_rest(f, POLL_NS);
	}
	return -EINTR;
}

/*
 * Open the file that has the name now, from its start. Bytes after the last newline of the old file
 * are no line and are dropped.
 */
static int lines_open_next(struct lines_reader *l)
{
	int r = feed_flush_all(l->feed);
	close_fd(&l->fd);
	l->fd = lines_open_file(l->feed->section->lines);
	if (r == 0 && l->fd >= 0) {
		lines_begin_at(l, lines_inode(l->fd), 0);
		feed_move_on(l->feed);
	}
	return r < 0 ? r : l->fd < 0 ? l->fd : 0;
}

int lines_feed(struct feed *f)
{
	struct lines_reader l = { .feed = f, .fd = -1 };
	bool logged = false;
	int r;
	while ((r = lines_open_first(&l)) < 0 && !f->follow.once && !*f->node->stop) {
		if (!logged)
			say_notice(f->node->sink.listener, "[sink %s] %s: %s; waiting for it",
				   f->section->name, f->section->lines, strerror(-r));
		logged = true;
		feed_begin_first(f);
		feed_rest(f, 4 * (int64_t)POLL_NS);
	}
	while (r == 0 && (r = lines_follow(&l)) == 0 && !f->follow.once)
		while ((r = lines_open_next(&l)) == -ENOENT && !*f->node->stop)
			feed_rest(f, POLL_NS);
	close_fd(&l.fd);
	buf_free(&l.text);
	return f->follow.once ? 0 : -EINTR;
}
