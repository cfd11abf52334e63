/* SPDX-License-Identifier: BSD-3-Clause */
/* bounded.c - work on a file system that may hang, done in a child process for a bounded time */
#include "base/system/bounded.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/system/child.h"

#define PIECE    4096
#define REAP_MS  20	/* ms in which a killed child ends unless it hangs */

static pid_t bounded_stuck;	/* a killed child that has not ended yet, or 0 */

/* Run work() in the child. A NUL after the output shows the parent that the output is complete. */
static _Noreturn void bounded_work(void (*work)(void *, struct buf *), void *arg, int fd)
{
	struct buf out = { 0 };
	work(arg, &out);
	buf_add_char(&out, '\0');
	_exit(files_write(fd, buf_str(&out)) < 0);
}

static int bounded_receive(int fd, int64_t deadline_ns, struct buf *got)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = deadline_ns - monotonic_ns();
		int r = poll(&p, 1, left > 0 ? (int)(left / 1000000) + 1 : 0);
		if (r == 0)
			return -ETIMEDOUT;
		buf_reserve(got, PIECE);
		ssize_t n = r < 0 ? r : read(fd, got->p + got->n, PIECE);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return got->n && got->p[got->n - 1] == '\0' ? 0 : -EIO;
		got->n += n > 0 ? (size_t)n : 0;
	}
}

static int bounded_start(void (*work)(void *, struct buf *), void *arg, pid_t *pid)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	*pid = child_fork(SIGKILL);
	int r = *pid < 0 ? -errno : ends[0];
	if (*pid == 0)
		bounded_work(work, arg, ends[1]);
	close(ends[1]);
	if (r < 0)
		close(ends[0]);
	return r;
}

int bounded_run(int ms, void (*work)(void *arg, struct buf *out), void *arg, struct buf *out)
{
	int64_t deadline_ns = monotonic_ns() + ms * INT64_C(1000000);
	struct buf got CLEANUP(buf_free) = { 0 };
	pid_t pid = 0;

	if (bounded_stuck && !child_has_ended(bounded_stuck, 0))
		return -ETIMEDOUT;
	bounded_stuck = 0;
	int fd CLEANUP(close_fd) = bounded_start(work, arg, &pid);
	int r = fd < 0 ? fd : bounded_receive(fd, deadline_ns, &got);
	if (fd >= 0 && !(r < 0 ? child_kill : child_has_ended)(pid, REAP_MS))
		bounded_stuck = pid;
	if (r == 0)
		buf_add(out, (struct str){ got.p, got.n - 1 });
	return r;
}
