/* SPDX-License-Identifier: BSD-3-Clause */
/* copy_to.c - copy a file of a node into a central archive, and extend the copy later */
#include "archive/copy_to.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/text_at.h"
#include "base/files.h"

/* bytes that are compared at the start and at the end of an earlier copy */
#define COMPARE_BYTES  4096
#define CHUNK_BYTES (64u << 10)

struct copy {
	const struct copy_source *from;
	uint64_t end;
	int dirfd, fd;
	char name[32];
};

/*
 * Compare n bytes of copy and source at offset `at`. Returns 1 if they are equal, 0 if they differ,
 * or -errno.
 */
static int copy_compare(const struct copy *c, uint64_t at, size_t n)
{
	char ours[COMPARE_BYTES], theirs[COMPARE_BYTES];
	ssize_t got = pread(c->fd, ours, n, (off_t)at);
	if (got < 0)
		return -errno;
	ssize_t had = c->from->read(c->from->arg, theirs, n, at);
	if (had < 0)
		return (int)had;
	return got == (ssize_t)n && had == got && memcmp(ours, theirs, n) == 0;
}

static int copy_write_at(int fd, struct str s, uint64_t at)
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

static int copy_append(const struct copy *c, int fd, uint64_t at, uint64_t *copied)
{
	char chunk[CHUNK_BYTES];
	while (at < c->end) {
		size_t n = c->end - at < sizeof(chunk) ? (size_t)(c->end - at) : sizeof(chunk);
		ssize_t got = c->from->read(c->from->arg, chunk, n, at);
		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
		int r = copy_write_at(fd, (struct str){ chunk, (size_t)got }, at);
		if (r < 0)
			return r;
		at += (size_t)got;
		*copied += (size_t)got;
	}
	return fdatasync(fd) < 0 ? -errno : 0;
}

/* Copy everything to a temporary file, then replace the copy. */
static int copy_rewrite(struct copy *c, uint64_t *copied)
{
	char aside[48];
	snprintf(aside, sizeof(aside), ".%s.new", c->name);
	int fd CLEANUP(close_fd) = openat(c->dirfd, aside,
					  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
					  0640);
	int r = fd < 0 ? -errno : copy_append(c, fd, 0, copied);
	if (r == 0 && renameat(c->dirfd, aside, c->dirfd, c->name) < 0)
		r = -errno;
	return r;
}

static int copy_extend(struct copy *c, uint64_t *copied)
{
	struct stat st;
	if (fstat(c->fd, &st) < 0)
		return -errno;
	uint64_t size = (uint64_t)st.st_size, known = size < c->end ? size : c->end;
	size_t n = known < COMPARE_BYTES ? (size_t)known : COMPARE_BYTES;
	size_t first = known / 2 < COMPARE_BYTES ? (size_t)(known + 1) / 2 : COMPARE_BYTES;
	/* the end of a short copy may be damaged, so compare only its first half */
	int r = copy_compare(c, 0, first);
	if (r <= 0)
		return r < 0 ? r : -EEXIST;
	r = copy_compare(c, known - n, n);
	if (r < 0 || (r && size >= c->end))
		return r < 0 ? r : 0;
	return r ? copy_append(c, c->fd, size, copied) : copy_rewrite(c, copied);
}

/* Returns true if a compressed copy exists that has at least as much text. */
static bool copy_is_compressed(const struct copy *c, const char *dir, const char *host,
			       int64_t epoch)
{
	struct text_at t CLEANUP(text_at_close) = { .fd = -1 };
	char last;
	return faccessat(c->dirfd, c->name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	       text_at_open(&t, dir, host, epoch) == 0 &&
	       (c->end == 0 || text_at_read(&t, &last, 1, c->end - 1) == 1);
}

static void copy_explain(const struct copy *c, int r, const char *place, struct buf *why)
{
	if (r == -EEXIST)
		buf_addf(why, "%s/%s does not begin like the file on the node: do two nodes have "
			 "the same name?", place, c->name);
	else if (r < 0)
		buf_addf(why, "%s/%s: %s", place, c->name, strerror(-r));
}

/*
 * Open DIR/HOST, creating HOST if it is missing, but not DIR: a missing DIR may be a file system
 * that is not mounted, and copies must not fill the local disk.
 */
static int copy_open_folder(const char *dir, const char *place)
{
	if (access(dir, F_OK) < 0)
		return -errno;
	bool made = mkdir(place, 0750) == 0;
	if (!made && errno != EEXIST)
		return -errno;
	int fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	/* sets the mode regardless of the umask */
	int r = fd < 0 || (made && fchmod(fd, 0750) < 0) ? -errno : fd;
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
	int dirfd CLEANUP(close_fd) = copy_open_folder(dir, place.p);
	int r = dirfd < 0 ? dirfd : 0;
	c.dirfd = dirfd;
	if (r == 0 && copy_is_compressed(&c, dir, host, epoch))
		return 0;
	int fd CLEANUP(close_fd) = r < 0 ? -1 : openat(dirfd, c.name, O_RDWR | O_CREAT | O_CLOEXEC |
						       O_NOFOLLOW | O_NONBLOCK, 0640);
	if (r == 0 && fd < 0)
		r = -errno;
	c.fd = fd;
	if (r == 0 && fchmod(fd, 0640) < 0 && errno != EPERM)
		r = -errno;
	if (r == 0)
		r = copy_extend(&c, copied);
	copy_explain(&c, r, place.p, why);
	return r;
}
