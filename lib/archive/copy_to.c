/* SPDX-License-Identifier: BSD-3-Clause */
/* copy_to.c - a file of a node's archive into DIR/HOST of a central one, longer each time */
#include "archive/copy_to.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/text_at.h"
#include "base/files.h"

#define LOOK_BYTES  4096	/* compared, at the begin and at the end of a copy */
#define CHUNK_BYTES (64u << 10)

struct copy {
	const struct copy_source *from;
	uint64_t end;
	int dirfd, fd;
	char name[32];
};

/* 1: both have the same bytes there, 0: they do not; or -errno. */
static int compare(const struct copy *c, uint64_t at, size_t n)
{
	char ours[LOOK_BYTES], theirs[LOOK_BYTES];
	ssize_t got = pread(c->fd, ours, n, (off_t)at);
	if (got < 0)
		return -errno;
	ssize_t had = c->from->read(c->from->arg, theirs, n, at);
	if (had < 0)
		return (int)had;
	return got == (ssize_t)n && had == got && memcmp(ours, theirs, n) == 0;
}

static int write_at(int fd, struct str s, uint64_t at)
{
	while (s.n) {
		ssize_t n = pwrite(fd, s.p, s.n, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		s = str_skip(s, (size_t)n);
		at += (size_t)n;
	}
	return 0;
}

static int append(const struct copy *c, int fd, uint64_t at, uint64_t *copied)
{
	char chunk[CHUNK_BYTES];
	while (at < c->end) {
		size_t n = c->end - at < sizeof(chunk) ? (size_t)(c->end - at) : sizeof(chunk);
		ssize_t got = c->from->read(c->from->arg, chunk, n, at);
		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
		int r = write_at(fd, (struct str){ chunk, (size_t)got }, at);
		if (r < 0)
			return r;
		at += (size_t)got;
		*copied += (size_t)got;
	}
	return fdatasync(fd) < 0 ? -errno : 0;
}

/* Aside, and then into its place: until then, the old one is there. */
static int write_again(struct copy *c, uint64_t *copied)
{
	char aside[48];
	snprintf(aside, sizeof(aside), ".%s.new", c->name);
	int fd CLEANUP(close_fd) = openat(c->dirfd, aside,
					  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
					  0640);
	int r = fd < 0 ? -errno : append(c, fd, 0, copied);
	if (r == 0 && renameat(c->dirfd, aside, c->dirfd, c->name) < 0)
		r = -errno;
	return r;
}

static int extend(struct copy *c, uint64_t *copied)
{
	struct stat st;
	if (fstat(c->fd, &st) < 0)
		return -errno;
	uint64_t size = (uint64_t)st.st_size, known = size < c->end ? size : c->end;
	size_t n = known < LOOK_BYTES ? (size_t)known : LOOK_BYTES;
	size_t first = known / 2 < LOOK_BYTES ? (size_t)(known + 1) / 2 : LOOK_BYTES;
	int r = compare(c, 0, first);	/* not the end of a short one, which may be broken */
	if (r <= 0)
		return r < 0 ? r : -EEXIST;
	r = compare(c, known - n, n);
	if (r < 0 || (r && size >= c->end))
		return r < 0 ? r : 0;
	return r ? append(c, c->fd, size, copied) : write_again(c, copied);
}

/* Whether the central archive has compressed it already, that much of it at least. */
static bool is_compressed(const struct copy *c, const char *dir, const char *host, int64_t epoch)
{
	struct text_at t CLEANUP(text_at_close) = { .fd = -1 };
	char last;
	return faccessat(c->dirfd, c->name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	       text_at_open(&t, dir, host, epoch) == 0 &&
	       (c->end == 0 || text_at_read(&t, &last, 1, c->end - 1) == 1);
}

static void explain(const struct copy *c, int r, const char *place, struct buf *why)
{
	if (r == -EEXIST)
		buf_addf(why, "%s/%s is of another node, or of another time: do two nodes have one "
			 "name?", place, c->name);
	else if (r < 0)
		buf_addf(why, "%s/%s: %s", place, c->name, strerror(-r));
}

/* DIR itself is not made: where nothing is mounted, nothing is to fill the node's own disk. */
static int open_place(const char *dir, const char *place)
{
	if (access(dir, F_OK) < 0)
		return -errno;
	bool made = mkdir(place, 0750) == 0;
	if (!made && errno != EEXIST)
		return -errno;
	int fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	int r = fd < 0 || (made && fchmod(fd, 0750) < 0) ? -errno : fd;	/* whatever the umask is */
	if (r < 0)
		close_fd(&fd);
	return r;
}

int copy_to(const char *dir, const char *host, int64_t epoch, const struct copy_source *from,
	    uint64_t end, uint64_t *copied, struct buf *why)
{
	struct buf place CLEANUP(buf_free) = { 0 };
	struct copy c = { from, end, -1, -1, "" };
	snprintf(c.name, sizeof(c.name), "%lld", (long long)epoch);
	buf_addf(&place, "%s/%s%c", dir, host, '\0');
	int dirfd CLEANUP(close_fd) = open_place(dir, place.p);
	int r = dirfd < 0 ? dirfd : 0;
	c.dirfd = dirfd;
	if (r == 0 && is_compressed(&c, dir, host, epoch))
		return 0;
	int fd CLEANUP(close_fd) = r < 0 ? -1 : openat(dirfd, c.name, O_RDWR | O_CREAT | O_CLOEXEC |
						       O_NOFOLLOW | O_NONBLOCK, 0640);
	if (r == 0 && fd < 0)
		r = -errno;
	c.fd = fd;
	if (r == 0 && fchmod(fd, 0640) < 0 && errno != EPERM)
		r = -errno;
	if (r == 0)
		r = extend(&c, copied);
	explain(&c, r, place.p, why);
	return r;
}
