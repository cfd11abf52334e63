/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c - keeps a receiver's state in a file, every minute and at its end */
#include "tracers/xrootd/state/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"

static void say(struct keeper *k, int e)
{
	if (e < 0 && !k->failed)
		say_error(k->listener, "%s: %s; what is open would be forgotten at an end", k->path,
			  strerror(-e));
	k->failed = e < 0;
}

/* True: nobody writes. */
static bool is_done(struct keeper *k, bool killed)
{
	int status;
	if (k->pid > 0 && waitpid(k->pid, &status, WNOHANG) == k->pid) {
		k->pid = 0;
		if (!killed)
			say(k, WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR);
	}
	return k->pid <= 0;
}

void keeper_open(struct keeper *k)
{
	struct stat st;
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = k->path ? open(k->path, flags, 0644) : -1;
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		close_fd(&fd);
	else
		k->fd = fd;
}

static int save(const struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		const struct saved_output *o)
{
	int e = state_save(k->path, j, sums, o);
	return e == -EACCES && k->fd >= 0 ? state_save_into(k->fd, j, sums, o) : e;
}

void keeper_save_aside(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		       const struct saved_output *o, int64_t now)
{
	if (!k->path || !is_done(k, false))
		return;
	k->saved = now;
	k->pid = fork();
	if (k->pid < 0)
		say(k, -errno);
	if (k->pid == 0)
		_exit(-save(k, j, sums, o) & 0xff);
}

#define KILLED_MS 2000	/* a busy machine takes its time to end a process that no disk holds */

/* False: it still writes when the time is up. */
static bool wait_for_it(struct keeper *k, bool killed)
{
	const int64_t limit_ms = killed ? KILLED_MS : k->limit_ms;
	const int64_t until = monotonic_ns() + limit_ms * 1000000;
	int64_t pause_ns = 100000;
	while (!is_done(k, killed)) {
		if (monotonic_ns() >= until)
			return false;
		clock_pause(&pause_ns);
	}
	return true;
}

/* Removes the file that files_replace() of a killed process has left. */
static void remove_torn(const char *path, pid_t pid)
{
	char name[1024];
	if ((size_t)snprintf(name, sizeof(name), "%s.%d.new", path, (int)pid) < sizeof(name))
		unlink(name);
}

/* Kills the writer. A writer that a disk holds ends when the disk goes on, or never. */
static void stop(struct keeper *k)
{
	const pid_t pid = k->pid;
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	if (wait_for_it(k, true))
		remove_torn(k->path, pid);
	k->pid = 0;
}

bool keeper_save(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		 const struct saved_output *o)
{
	stop(k);
	keeper_save_aside(k, j, sums, o, k->saved);
	k->hangs = k->pid > 0 && !wait_for_it(k, false);
	if (!k->hangs)
		return !k->failed;
	stop(k);
	say(k, -ETIMEDOUT);
	return false;
}

void keeper_forget(struct keeper *k)
{
	stop(k);
	if (k->path && unlink(k->path) < 0 && k->fd >= 0 && ftruncate(k->fd, 0) < 0)
		say(k, -errno);
	close_fd(&k->fd);
	k->fd = -1;
}
