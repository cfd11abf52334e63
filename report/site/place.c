/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c - create the folders and files of static pages, in folders that other users may own */
#include "report/site/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"

#define NAME_MOST 120	/* bytes; a file name has room for two names and a number */

static bool is_plain(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || (c == '.' && !first);
}

void place_put_name(struct buf *b, const char *name)
{
	size_t from = b->n;
	const char *p = name;
	for (; *p && b->n - from < NAME_MOST - 3; p++) {
		if (is_plain(*p, p == name))
			buf_add_char(b, *p);
		else
			buf_addf(b, "=%02X", (unsigned char)*p);
	}
	if (*p)
		buf_addf(b, "=%016llx", (unsigned long long)str_hash(str_of(name)));
	if (!*name)
		buf_add_char(b, '=');
}

int place_open(int dirfd, const char *name, mode_t mode, uid_t owner)
{
	bool made = mkdirat(dirfd, name, 0700) == 0;
	if (!made && errno != EEXIST)
		return -errno;
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || !made)
		return fd < 0 ? -errno : fd;
	bool failed = fstat(fd, &st) < 0 ||
		      (geteuid() == 0 && fchown(fd, owner, (gid_t)-1) < 0) ||
		      fchmod(fd, mode | (st.st_mode & S_ISGID)) < 0;
	if (!failed)
		return fd;
	int e = -errno;
	close_fd(&fd);
	return e;
}

void place_read(int dirfd, const char *name, struct buf *b)
{
	int fd CLEANUP(close_fd) = openat(dirfd, name,
					  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	struct str text;
	b->n = 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    files_read_fd(fd, FILE_TO_END, b, &text) == 0)
		b->n = text.n;
}

static int write_beside(int dirfd, const char *beside, struct str text)
{
	unlinkat(dirfd, beside, 0);
	int fd CLEANUP(close_fd) =
		openat(dirfd, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int r = files_write(fd, text);
	if (r == 0 && fchmod(fd, 0640) < 0)
		r = -errno;
	return r < 0 ? r : files_finish(&fd);
}

int place_put(int dirfd, const char *name, struct str text)
{
	struct buf old CLEANUP(buf_free) = { 0 };
	char beside[32];

	place_read(dirfd, name, &old);
	if (old.n && str_eq(buf_str(&old), text))
		return 0;
	snprintf(beside, sizeof(beside), ".%d.new", (int)getpid());
	int r = write_beside(dirfd, beside, text);
	if (r == 0 && renameat(dirfd, beside, dirfd, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(dirfd, beside, 0);
	return r;
}
