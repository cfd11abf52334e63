/* SPDX-License-Identifier: BSD-3-Clause */
/* follow.c - the bytes of DIR/HOST/current as they are written, one file after the other */
#include "agent/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/tail.h"
#include "base/files.h"

/*
 * A group ends where the next one begins, and the reader is not to wait for that: so one begins
 * behind each, which is none and which it leaves out.
 */
#define GROUP_END "\n0\n"

/*
 * At least so often, whatever inotify says: of a folder that is removed it says nothing to those
 * who have it open.
 */
#define LOOK_S 60
#define SOON_S 2	/* where there is no current */

int follow_open(struct follow *f, const char *dir, const char *host)
{
	char self[64];
	f->path.n = 0;
	buf_addf(&f->path, "%s/%s", dir, host);
	buf_add_char(&f->path, '\0');
	f->fd = f->inotify = -1;
	f->inode = 0;
	f->dirfd = open(f->path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->dirfd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->dirfd);
	f->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (f->inotify < 0 ||
	    inotify_add_watch(f->inotify, self,
			      IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO) < 0) {
		int e = -errno;
		follow_close(f);
		return e;
	}
	return 0;
}

void follow_close(struct follow *f)
{
	close_fd(&f->fd);
	close_fd(&f->inotify);
	close_fd(&f->dirfd);
	buf_free(&f->path);
	f->fd = f->inotify = f->dirfd = -1;
}

static bool is_gone(const struct follow *f)
{
	struct stat ours, now;
	return fstat(f->dirfd, &ours) < 0 || stat(f->path.p, &now) < 0 ||
	       ours.st_ino != now.st_ino || ours.st_dev != now.st_dev;
}

/* 0: something may have changed; -ESTALE, -EINTR. */
static int wait_for_change(struct follow *f)
{
	struct pollfd p = { .fd = f->inotify, .events = POLLIN };
	char events[4096];
	sigset_t none;
	if (*f->stop)
		return -EINTR;
	if (is_gone(f))
		return -ESTALE;
	sigemptyset(&none);	/* what sets *stop comes in only here */
	bool has_file = faccessat(f->dirfd, "current", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	ppoll(&p, 1, &(struct timespec){ .tv_sec = has_file ? LOOK_S : SOON_S }, &none);
	while (read(f->inotify, events, sizeof(events)) > 0)
		;
	return *f->stop ? -EINTR : 0;
}

static bool is_replaced(const struct follow *f)
{
	struct stat st;
	return fstatat(f->dirfd, "current", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_ino != f->inode;
}

static int open_current(struct follow *f)
{
	struct stat st;
	int64_t last_us;
	int fd = openat(f->dirfd, "current", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_ino == f->inode) {
		close_fd(&fd);
		return -ENOENT;
	}
	close_fd(&f->fd);
	f->fd = fd;
	f->inode = st.st_ino;
	f->at = f->whole = 0;
	f->ended_group = true;
	return tail_find_whole(fd, st.st_size, &f->whole, &last_us);
}

int follow_next_file(struct follow *f)
{
	for (;;) {
		int r = open_current(f);
		if (r == 0 || f->once || (r != -ENOENT && r != -EFBIG))
			return r;
		f->fresh |= r == -ENOENT;
		r = wait_for_change(f);
		if (r < 0)
			return r;
	}
}

/* More whole groups than before? A file that shrank was mended: what is gone was not whole. */
static bool has_grown(struct follow *f)
{
	struct stat st;
	off_t whole;
	int64_t last_us;
	if (fstat(f->fd, &st) < 0 || st.st_size <= f->whole ||
	    tail_find_whole(f->fd, st.st_size, &whole, &last_us) < 0 || whole <= f->whole)
		return false;
	f->whole = whole;
	return true;
}

static ssize_t read_on(void *arg, char *to, size_t n)
{
	struct follow *f = arg;
	while (f->at >= f->whole) {
		if (!f->ended_group) {
			f->ended_group = true;
			memcpy(to, GROUP_END, sizeof(GROUP_END) - 1);
			return sizeof(GROUP_END) - 1;
		}
		f->past = false;	/* its last group was handed out */
		bool replaced = is_replaced(f);	/* before the last look: nothing comes behind */
		if (has_grown(f))
			break;
		if (replaced || f->once || wait_for_change(f) < 0)
			return 0;
	}
	if ((off_t)n > f->whole - f->at)
		n = (size_t)(f->whole - f->at);
	ssize_t got = pread(f->fd, to, n, f->at);
	if (got < 0)
		return -errno;
	f->at += got;
	f->ended_group = false;
	return got;
}

bool follow_is_past(const struct follow *f)
{
	return f->past && !(f->once && f->ended_group);
}

struct raw_source follow_source(struct follow *f)
{
	return (struct raw_source){ read_on, f };
}
