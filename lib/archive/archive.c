/* SPDX-License-Identifier: BSD-3-Clause */
/* archive.c - write complete record groups to DIR/HOST/EPOCH and keep the link DIR/HOST/current */
#include "archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "archive/tail.h"
#include "archive/tidy.h"
#include "archive/torn.h"
#include "base/clock.h"
#include "base/files.h"

#define FLOOR_CHECK_NS 10000000000
#define HEADER_MAX     (4u << 20)
#define NEW_NAME       "current.new"
#define TELLS_MAX      (4u << 20)

/*
 * Give a new file to the folder's owner and group, so that the group can read it. The umask does
 * not affect the mode.
 */
static int archive_share(int dirfd, int fd, mode_t mode)
{
	int r = files_give_to_owner(dirfd, fd);
	return r < 0 ? r : fchmod(fd, mode) < 0 ? -errno : 0;
}

int archive_make_dirs(const char *dir)
{
	char path[1024];
	if (!dir[0])
		return -ENOENT;
	if (!str_copy(path, sizeof(path), str_of(dir)))
		return -ENAMETOOLONG;
	for (char *p = path + 1; ; p++) {
		if (*p != '/' && *p != '\0')
			continue;
		char c = *p;
		*p = '\0';
		int e = mkdir(path, 0755) < 0 ? errno : EEXIST;
		if (e != EEXIST && (e != EROFS || access(path, F_OK) < 0))
			return -e;
		*p = c;
		if (c == '\0')
			return 0;
	}
}

static int archive_open_host(const char *dir, const char *host)
{
	int top CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return -errno;
	bool made = mkdirat(top, host, 0750) == 0;
	if (!made && errno != EEXIST)
		return -errno;
	int fd = openat(top, host, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	int r = made ? archive_share(top, fd, 0750) : 0;
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

/*
 * Remove the group's access to a lock file, which earlier versions of nodometer allowed: a process
 * that can open the file could lock it and so block all writers.
 */
static void archive_restrict_lock(int fd)
{
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	    st.st_uid == geteuid() && (st.st_mode & 077))
		fchmod(fd, 0600);
}

int archive_open_lock(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		int r = archive_share(dirfd, fd, 0600);
		if (r < 0)
			close(fd);
		return r < 0 ? r : fd;
	}
	if (errno == EEXIST)
		fd = openat(dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	archive_restrict_lock(fd);
	return fd;
}

int archive_open(struct archive *a, const char *dir, const char *host)
{
	*a = (struct archive){ .dirfd = -1, .lockfd = -1, .fd = -1 };
	int r = archive_make_dirs(dir);
	if (r < 0)
		return r;
	a->dirfd = archive_open_host(dir, host);
	if (a->dirfd < 0)
		return a->dirfd;
	a->lockfd = archive_open_lock(a->dirfd, "lock");
	if (a->lockfd < 0) {
		r = a->lockfd;
		archive_close(a);
		return r;
	}
	return 0;
}

void archive_close(struct archive *a)
{
	close_fd(&a->fd);
	close_fd(&a->lockfd);
	close_fd(&a->dirfd);
	*a = (struct archive){ .dirfd = -1, .lockfd = -1, .fd = -1 };
}

/* Returns the next local midnight after this time. */
static int64_t archive_next_midnight(int64_t usec)
{
	time_t t = (time_t)(usec / 1000000);
	struct tm tm;
	if (!localtime_r(&t, &tm))
		return usec + 86400000000;
	tm.tm_mday++;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm) * 1000000;
}

static int archive_open_current(struct archive *a)
{
	close_fd(&a->fd);
	a->trusted = a->described = false;
	a->size = -1;
	a->fd = openat(a->dirfd, "current", O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	return a->fd >= 0 ? 0 : -errno;
}

/* Read the header of the current file, and the first line of the file's first record group. */
static int archive_read_header(struct archive *a, struct buf *b, struct str *header,
			       struct str *rest)
{
	b->n = 0;
	for (;;) {
		buf_reserve(b, 65536);
		ssize_t got = pread(a->fd, b->p + b->n, b->cap - b->n, (off_t)b->n);
		if (got < 0)
			return -errno;
		b->n += (size_t)got;
		const char *end = memmem(b->p, b->n, "\n\n", 2);
		if (end && memchr(end + 2, ' ', (size_t)(b->p + b->n - end - 2))) {
			size_t n = (size_t)(end + 1 - b->p);
			*header = (struct str){ b->p, n };
			*rest = str_skip(buf_str(b), n + 1);
			return 0;
		}
		if (got == 0 || b->n > HEADER_MAX)
			return -EBADMSG;
	}
}

/*
 * Returns 1 if nodometer wrote the current file, so that an incomplete record group at its end may
 * be cut off; 0 if not, or if the header is incomplete; or -errno.
 */
static int archive_is_ours(struct archive *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str header, rest, line;
	int r = archive_read_header(a, &b, &header, &rest);
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	while (str_take_line(&header, &line))
		if (str_starts(line, STR("$agent nodometer ")))
			return 1;
	return 0;
}

static int archive_cut_tail(struct archive *a, off_t size, off_t whole)
{
	if (whole == size)
		return 0;
	int to CLEANUP(close_fd) = archive_open_lock(a->dirfd, TORN_NAME);
	return torn_cut(to, a->fd, "current", size, whole, a->listener);
}

static int archive_refresh(struct archive *a)
{
	struct stat st;
	if (fstatat(a->dirfd, "current", &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return -errno;
		close_fd(&a->fd);
		return 0;
	}
	if (a->fd < 0 || st.st_ino != a->inode) {
		int r = archive_open_current(a);
		if (r < 0)
			return r;
		a->inode = st.st_ino;
	}
	if (st.st_size == a->size)
		return 0;

	a->described = false;
	off_t whole = st.st_size;
	int r = archive_is_ours(a);
	a->last_us = 0;
	if (r > 0)
		r = tail_find_whole(a->fd, st.st_size, &whole, &a->last_us);
	if (r == -EFBIG) {
		close_fd(&a->fd);
		return 0;
	}
	if (r < 0)
		return r;
	r = archive_cut_tail(a, st.st_size, whole);
	if (r < 0)
		return r;
	a->size = whole;
	return 0;
}

int archive_lock(struct archive *a, int timeout_ms)
{
	int r = files_lock(a->lockfd, timeout_ms);
	if (r < 0)
		return r;
	r = archive_refresh(a);
	if (r < 0)
		archive_unlock(a);
	return r;
}

void archive_unlock(const struct archive *a)
{
	files_unlock(a->lockfd);
}

static bool archive_same_boot(struct str header, struct str boot_id)
{
	struct str line;
	while (str_take_line(&header, &line))
		if (str_take_prefix(&line, STR("$boot_id ")))
			return str_eq(line, boot_id);
	return boot_id.n == 0;
}

static bool archive_has_version(struct str header, struct str version)
{
	return str_take_prefix(&header, STR("$hpcperfstats ")) &&
	       str_take_prefix(&header, version) && str_peek(header) == '\n';
}

bool archive_covers(struct archive *a, struct str version, struct str schema, struct str boot_id)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str header, rest, line;
	int64_t first;

	if (a->fd < 0)
		return false;
	if (a->trusted)
		return true;
	if (archive_read_header(a, &b, &header, &rest) < 0 || !str_take_time(&rest, &first))
		return false;
	if (!str_has_line(header, STR("$agent nodometer " PACKAGE_VERSION)) ||
	    !archive_has_version(header, version) || !archive_same_boot(header, boot_id))
		return false;
	while (str_take_line(&schema, &line))
		if (str_peek(line) == '!' && !str_has_line(header, line))
			return false;
	a->rotate_at_us = archive_next_midnight(first);
	a->trusted = true;
	return true;
}

/* Returns the last header in the text. */
static struct str archive_newest_header(struct str text)
{
	static const char first[] = "\n$hpcperfstats ";
	struct str header = { text.p, 0 };
	const char *at = text.p;
	while ((at = memmem(at, (size_t)(text.p + text.n - at), first, sizeof(first) - 1))) {
		header = (struct str){ at + 1, (size_t)(text.p + text.n - at) - 1 };
		at++;
	}
	const char *end = memmem(header.p, header.n, "\n\n", 2);
	return end ? (struct str){ header.p, (size_t)(end + 1 - header.p) } : header;
}

static bool archive_is_below_line(struct str line, struct str *type)
{
	return str_take_prefix(&line, STR("$below ")) && str_take_word(&line, type);
}

static bool archive_has_type(struct str below, struct str wanted)
{
	struct str line, type;
	while (str_take_line(&below, &line))
		if (archive_is_below_line(line, &type) && str_eq(type, wanted))
			return true;
	return false;
}

/* Take the next "$below" line, which lists the devices that a device is built on. */
static bool archive_next_below(struct str *header, struct str *line, struct str *type)
{
	while (str_take_line(header, line))
		if (archive_is_below_line(*line, type))
			return true;
	return false;
}

/*
 * Return true if both texts have the same "$below" lines of the types that occur in `wanted`. Other
 * types are ignored, because a process that collects fewer types does not know their devices.
 */
static bool archive_same_below(struct str header, struct str wanted)
{
	struct str all = wanted, line, type, next, next_type;
	while (archive_next_below(&header, &line, &type))
		if (archive_has_type(all, type) &&
		    (!archive_next_below(&wanted, &next, &next_type) || !str_eq(next, line)))
			return false;
	return !archive_next_below(&wanted, &next, &next_type);
}

bool archive_has_below(struct archive *a, struct str wanted)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t n = a->size < TELLS_MAX ? (size_t)a->size : TELLS_MAX;

	if (a->described)
		return true;
	buf_add_char(&b, '\n');
	buf_reserve(&b, n);
	ssize_t got = pread(a->fd, b.p + 1, n, a->size - (off_t)n);
	if (got < 0)
		return false;
	b.n += (size_t)got;
	struct str header = archive_newest_header(buf_str(&b));
	a->described = header.n && archive_same_below(header, wanted);
	return a->described;
}

static int archive_write_once(int fd, struct str text)
{
	ssize_t done = write(fd, text.p, text.n);
	if (done == (ssize_t)text.n)
		return 0;
	/* a short write to a file means that the disk is full */
	return done < 0 ? -errno : -ENOSPC;
}

static bool archive_is_below_floor(struct archive *a)
{
	struct statvfs v;
	int64_t now = monotonic_ns();
	if (a->floor_checked_ns && now - a->floor_checked_ns < FLOOR_CHECK_NS && !a->below_floor)
		return false;
	a->floor_checked_ns = now;
	if (fstatvfs(a->dirfd, &v) == 0)
		a->below_floor = tidy_below(&v, a->floor);
	return a->below_floor;
}

int archive_append(struct archive *a, struct str group)
{
	if (archive_is_below_floor(a))
		return -ENOSPC;
	int r = archive_write_once(a->fd, group);
	if (r == 0) {
		a->size += (off_t)group.n;
		return 0;
	}
	if (ftruncate(a->fd, a->size) < 0)
		r = -errno;
	/* unknown: the next archive_lock() searches for the end of the last record group */
	a->size = -1;
	return r;
}

void archive_truncate(struct archive *a, off_t size)
{
	bool cut = size >= 0 && ftruncate(a->fd, size) == 0;
	a->size = cut ? size : -1;
}

/*
 * Returns true if EPOCH.zst exists. If so, do not create a file EPOCH: nodometer-tidy would take it
 * for an old copy of EPOCH.zst and remove it.
 */
static bool archive_is_packed(const struct archive *a, int64_t epoch)
{
	char packed[64];
	snprintf(packed, sizeof(packed), "%lld.zst", (long long)epoch);
	return faccessat(a->dirfd, packed, F_OK, 0) == 0;
}

/*
 * Create a file under a temporary name; the caller renames it once it is complete. Overwrites the
 * temporary file of a writer that was killed.
 */
static int archive_create_new(struct archive *a)
{
	unlinkat(a->dirfd, NEW_NAME, 0);
	int fd = openat(a->dirfd, NEW_NAME, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0640);
	int r = fd < 0 ? -errno : archive_share(a->dirfd, fd, 0640);
	if (r < 0) {
		unlinkat(a->dirfd, NEW_NAME, 0);
		close_fd(&fd);
	}
	return r < 0 ? r : fd;
}

/*
 * Choose the name of a new file: the second of its first record group or, if taken, the next free
 * second.
 */
static int archive_name_new(struct archive *a, int64_t epoch, char *name, size_t size)
{
	for (int i = 0; i < 1000; i++) {
		if (archive_is_packed(a, epoch + i))
			continue;
		snprintf(name, size, "%lld", (long long)epoch + i);
		if (linkat(a->dirfd, NEW_NAME, a->dirfd, name, 0) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/*
 * If the current file, created by another agent, has no name but "current", also name it EPOCH,
 * because the link "current" is about to be replaced.
 */
static int archive_name_current(struct archive *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str header, rest;
	struct stat st;
	int64_t first;
	char name[32];

	if (a->fd < 0)
		return 0;
	if (fstat(a->fd, &st) < 0)
		return -errno;
	if (st.st_nlink != 1)
		return 0;
	if (archive_read_header(a, &b, &header, &rest) < 0 || !str_take_time(&rest, &first))
		first = (int64_t)st.st_mtime * 1000000;
	for (int i = 0; i < 1000; i++) {
		if (archive_is_packed(a, first / 1000000 - i))
			continue;
		snprintf(name, sizeof(name), "%lld", (long long)(first / 1000000) - i);
		if (linkat(a->dirfd, "current", a->dirfd, name, 0) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int archive_make_current(struct archive *a, int64_t epoch)
{
	char name[32];
	int r = archive_name_current(a);
	if (r == 0)
		r = archive_name_new(a, epoch, name, sizeof(name));
	if (r < 0)
		return r;
	if (renameat(a->dirfd, NEW_NAME, a->dirfd, "current") < 0) {
		r = -errno;
		unlinkat(a->dirfd, name, 0);
		return r;
	}
	/* ignore errors: some file systems cannot sync a folder */
	fsync(a->dirfd);
	return 0;
}

int archive_begin(struct archive *a, int64_t usec, struct str header, struct str group)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct stat st;

	if (archive_is_below_floor(a))
		return -ENOSPC;
	int fd = archive_create_new(a);
	if (fd < 0)
		return fd;
	buf_add(&text, header);
	buf_add(&text, group);
	int r = archive_write_once(fd, buf_str(&text));
	if (r == 0 && (fdatasync(fd) < 0 || fstat(fd, &st) < 0))
		r = -errno;
	if (r == 0 && a->fd >= 0)
		/*
		 * sync the old file now, because no writer looks for an incomplete record group in
		 * a closed file
		 */
		fdatasync(a->fd);
	if (r == 0)
		r = archive_make_current(a, usec / 1000000);
	if (r < 0) {
		unlinkat(a->dirfd, NEW_NAME, 0);
		close(fd);
		return r;
	}
	close_fd(&a->fd);
	a->fd = fd;
	a->inode = st.st_ino;
	a->size = (off_t)text.n;
	a->trusted = a->described = true;
	a->rotate_at_us = archive_next_midnight(usec);
	return 0;
}

int archive_sync(const struct archive *a)
{
	return a->fd >= 0 && fdatasync(a->fd) < 0 ? -errno : 0;
}
