/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_feed.c - lines of a file that grows and is rotated, in place of records of the archive */
#include "send/lines_feed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system/confine.h"
#include "send/feed_deliver.h"

#define LINE_MAX_BYTES (1u << 20)	/* more is no line: it is left out */
#define HEAD_BYTES     256
#define LOOK_NS        500000000	/* between two looks at the end of the file */
#define SEEN_US        60000000		/* so often the cursor says that nothing is missing */

struct lines {
	struct feed *feed;
	int fd;
	struct buf text;	/* read after the last line */
	bool too_long;		/* skip all up to the next newline */
};

static int64_t inode_of(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_ino : 0;
}

/*
 * How the file begins, its first line or a part of it: 0 as long as that is not known. An inode
 * comes again when its file was removed, and a file that was cut to nothing keeps its own.
 */
static uint64_t head_of(int fd)
{
	char text[HEAD_BYTES];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	const char *end = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
	if (!end && n < (ssize_t)sizeof(text))
		return 0;
	return str_hash((struct str){ text, end ? (size_t)(end - text) : (size_t)n }) >> 1 | 1;
}

static bool is_of_cursor(const struct cursor *c, int fd)
{
	return inode_of(fd) == c->epoch && (!c->head || head_of(fd) == c->head);
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* The file of the cursor under its newer name, in the same folder: lines.json.1. Or -1. */
static int open_renamed(const char *path, const struct cursor *c)
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
		if (fd >= 0 && !is_of_cursor(c, fd)) {
			close_fd(&fd);
			fd = -1;
		}
	}
	if (d)
		closedir(d);
	return fd;
}

static void begin_at(struct lines *l, int64_t inode, uint64_t offset)
{
	l->feed->follow.epoch = inode;
	l->feed->follow.at = offset;
	l->feed->head = head_of(l->fd);
	l->text.n = 0;
	l->too_long = false;
}

static void say_lost(struct feed *f)
{
	f->cursor.lost_files++;
	say_warning(f->node->sink.listener, "[sink %s] %s: the file that was read last is not "
		    "there under any name: lines after its byte %llu are lost to the sink",
		    f->section->name, f->section->lines,
		    (unsigned long long)f->cursor.offset);
}

/* 0, -ENOENT: there is no file yet, or another -errno. */
static int open_first(struct lines *l)
{
	struct feed *f = l->feed;
	const char *path = f->section->lines;
	struct stat st;
	l->fd = open_file(path);
	bool same = l->fd >= 0 && is_of_cursor(&f->cursor, l->fd);
	int before = f->cursor.epoch && !same ? open_renamed(path, &f->cursor) : -1;
	if (before >= 0) {
		close_fd(&l->fd);
		l->fd = before;
		same = true;
	}
	if (l->fd < 0)
		return l->fd;
	if (f->cursor.epoch && !same)
		say_lost(f);
	if (same)
		begin_at(l, f->cursor.epoch, f->cursor.offset);
	else
		begin_at(l, inode_of(l->fd),
			 f->follow.newest && fstat(l->fd, &st) == 0 ? (uint64_t)st.st_size : 0);
	f->follow.newest = false;
	feed_move_on(f);
	return 0;
}

static int take_line(struct lines *l, struct str line)
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

/* Whole lines of what was read. 0 or as feed_put_line(). */
static int take_lines(struct lines *l)
{
	struct str rest = buf_str(&l->text), line;
	int r = 0;
	while (r == 0 && str_take_until(&rest, '\n', &line))
		r = take_line(l, line);
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

/* 1: there was more; 0: that is the end for now; or as feed_put_line(). */
static int read_more(struct lines *l)
{
	struct stat st;
	uint64_t at = l->feed->follow.at + l->text.n;
	buf_reserve(&l->text, 65536);
	ssize_t got = pread(l->fd, l->text.p + l->text.n, 65536, (off_t)at);
	if (got <= 0) {
		if (fstat(l->fd, &st) == 0 && (uint64_t)st.st_size < at)
			begin_at(l, l->feed->follow.epoch, 0);	/* the file was truncated */
		return 0;
	}
	l->text.n += (size_t)got;
	if (!l->feed->head)
		l->feed->head = head_of(l->fd);
	int r = take_lines(l);
	return r < 0 ? r : 1;
}

/* Whether another file has the name by now, and nothing can come any more to the one before. */
static bool is_rotated(const struct lines *l, int64_t *looked_ns)
{
	struct stat st;
	bool other = stat(l->feed->section->lines, &st) == 0 &&
		     (int64_t)st.st_ino != l->feed->follow.epoch;
	if (!other)
		*looked_ns = 0;
	else if (!*looked_ns)
		*looked_ns = monotonic_ns();	/* a writer may still have the old file */
	return other && monotonic_ns() - *looked_ns > 4 * (int64_t)LOOK_NS;
}

/* All that there was is delivered: the cursor says so, also where nothing comes for long. */
static int settle(struct feed *f)
{
	int r = f->n ? feed_flush(f) : 0;
	if (r == 0 && realtime_us() - f->cursor.usec > SEEN_US) {
		f->cursor.usec = realtime_us();
		f->changed = true;
	}
	feed_save(f, true);
	return r;
}

static int follow_lines(struct lines *l)
{
	struct feed *f = l->feed;
	int64_t looked_ns = 0;
	while (!*f->node->stop) {
		int r = read_more(l);
		if (r == 0)
			r = settle(f) < 0 ? -EINTR : 0;
		if (r < 0 || (r == 0 && f->follow.once))
			return r;
		if (r == 0 && is_rotated(l, &looked_ns) && read_more(l) == 0)
			return 0;
		if (r == 0)
			feed_rest(f, LOOK_NS);
	}
	return -EINTR;
}

/* The one that has the name now, from its begin; what came after the last newline is no line. */
static int open_next(struct lines *l)
{
	int r = feed_flush_all(l->feed);
	close_fd(&l->fd);
	l->fd = open_file(l->feed->section->lines);
	if (r == 0 && l->fd >= 0) {
		begin_at(l, inode_of(l->fd), 0);
		feed_move_on(l->feed);
	}
	return r < 0 ? r : l->fd < 0 ? l->fd : 0;
}

int lines_feed(struct feed *f)
{
	struct lines l = { .feed = f, .fd = -1 };
	bool said = false;
	int r;
	while ((r = open_first(&l)) < 0 && !f->follow.once && !*f->node->stop) {
		if (!said)
			say_notice(f->node->sink.listener, "[sink %s] %s: %s; waiting for it",
				   f->section->name, f->section->lines, strerror(-r));
		said = true;
		feed_begin_first(f);
		feed_rest(f, 4 * (int64_t)LOOK_NS);
	}
	while (r == 0 && (r = follow_lines(&l)) == 0 && !f->follow.once)
		while ((r = open_next(&l)) == -ENOENT && !*f->node->stop)
			feed_rest(f, LOOK_NS);
	close_fd(&l.fd);
	buf_free(&l.text);
	return f->follow.once ? 0 : -EINTR;
}
