/* SPDX-License-Identifier: BSD-3-Clause */
/* torn.c - cut off an incomplete record group, a "torn tail", and keep it in the file "torn" */
#include "archive/torn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"

#define TITLE     "== "
#define PIECE_MAX (256u << 10)
#define TORN_MAX  (1u << 20)

/* Discard older torn tails if the file has no room for another one. */
static int torn_make_room(int fd, size_t n)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return -EPERM;
	if ((uint64_t)st.st_size + n > TORN_MAX && ftruncate(fd, 0) < 0)
		return -errno;
	return lseek(fd, 0, SEEK_END) < 0 ? -errno : 0;
}

static int torn_keep(int to, int fd, const char *name, off_t size, off_t whole)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	size_t n = size - whole < PIECE_MAX ? (size_t)(size - whole) : PIECE_MAX;
	buf_add(&text, STR(TITLE));
	buf_add_time(&text, realtime_us());
	buf_addf(&text, " %s %lld %lld\n", name, (long long)whole, (long long)(size - whole));
	buf_reserve(&text, n + 1);
	ssize_t got = pread(fd, text.p + text.n, n, whole);
	if (got < 0)
		return -errno;
	text.n += (size_t)got;
	buf_add_char(&text, '\n');
	int r = torn_make_room(to, text.n);
	return r < 0 ? r : files_write(to, buf_str(&text));
}

int torn_cut(int to, int fd, const char *name, off_t size, off_t whole,
	     const struct listener *listener)
{
	int r = to < 0 ? to : torn_keep(to, fd, name, size, whole);
	if (ftruncate(fd, whole) < 0)
		return -errno;
	if (r == 0)
		say_warning(listener, "%s: its last %lld bytes are not a complete record group: "
			    "they are cut off and kept in the file " TORN_NAME " beside it", name,
			    (long long)(size - whole));
	else
		say_warning(listener, "%s: its last %lld bytes are not a complete record group: "
			    "they are cut off and lost, since \"" TORN_NAME "\" cannot be written: "
			    "%s", name,
			    (long long)(size - whole), strerror(-r));
	return 0;
}

bool torn_is(const char *path)
{
	char head[sizeof(TITLE)] = "";
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		/*
		 * only the owner can read a file of torn tails, so EACCES means that it may be one
		 */
		return errno == EACCES;
	return read(fd, head, sizeof(TITLE) - 1) > 0 && strcmp(head, TITLE) == 0;
}
