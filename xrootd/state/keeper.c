/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c - save a receiver's state to a file, every minute and at its end */
#include "xrootd/state/keeper.h"

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

static void keeper_report_error(struct keeper *k, int e)
{
	if (e < 0 && !k->failed)
		say_error(k->listener, "%s: %s; open accesses would be lost if the receiver ended",
			  k->path,
			  strerror(-e));
	k->failed = e < 0;
}

/* Reap a writer that has ended. Returns true if no writer is running. */
static bool keeper_is_idle(struct keeper *k, bool killed)
{
	int status;
	if (k->pid > 0 && waitpid(k->pid, &status, WNOHANG) == k->pid) {
		k->pid = 0;
		int e = WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
		if (!killed)
			keeper_report_error(k, e);
		if (e == 0) {
			k->messages_saved = k->messages_saving;
			k->saved_us = k->started_us;
		}
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

int keeper_load(const struct keeper *k, struct xrd_join *j, struct xrd_sums *sums,
		struct saved_output *o)
{
	return k->fd >= 0 ? state_load_from(k->fd, j, sums, o) : state_load(k->path, j, sums, o);
}

void keeper_leave(struct keeper *k)
{
	close_fd(&k->fd);
	k->path = NULL;
}

static int keeper_write_state(const struct keeper *k, const struct xrd_join *j,
			      const struct xrd_sums *sums,
			      const struct saved_output *o)
{
	int e = state_save(k->path, j, sums, o);
	return e == -EACCES && k->fd >= 0 ? state_save_into(k->fd, j, sums, o) : e;
}

void keeper_save_aside(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		       const struct saved_output *o, int64_t now)
{
	if (!k->path || !keeper_is_idle(k, false))
		return;
	k->started_us = now;
	k->messages_saving = k->messages;
	k->pid = fork();
	if (k->pid < 0)
		keeper_report_error(k, -errno);
	if (k->pid == 0)
		_exit(-keeper_write_state(k, j, sums, o) & 0xff);
}

/* how long a killed process may take to end on a busy machine, in milliseconds */
#define KILLED_MS 2000

/* Wait for the writer. Returns false if it did not end in time. */
static bool keeper_wait_for_writer(struct keeper *k, bool killed)
{
	const int64_t limit_ms = killed ? KILLED_MS : k->limit_ms;
	const int64_t until = monotonic_ns() + limit_ms * 1000000;
	int64_t pause_ns = 100000;
	while (!keeper_is_idle(k, killed)) {
		if (monotonic_ns() >= until)
			return false;
		clock_pause(&pause_ns);
	}
	return true;
}

/* Remove the temporary file of a writer that was killed, see files_replace(). */
static void keeper_remove_torn(const char *path, pid_t pid)
{
	char name[1024];
	if ((size_t)snprintf(name, sizeof(name), "%s.%d.new", path, (int)pid) < sizeof(name))
		unlink(name);
}

/* Kill the writer. A writer that is blocked by a disk ends only when the disk continues. */
static void keeper_kill_writer(struct keeper *k)
{
	const pid_t pid = k->pid;
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	if (keeper_wait_for_writer(k, true))
		keeper_remove_torn(k->path, pid);
	k->pid = 0;
}

bool keeper_save(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		 const struct saved_output *o)
{
	keeper_kill_writer(k);
	keeper_save_aside(k, j, sums, o, k->started_us);
	k->hangs = k->pid > 0 && !keeper_wait_for_writer(k, false);
	if (!k->hangs)
		return !k->failed;
	keeper_kill_writer(k);
	keeper_report_error(k, -ETIMEDOUT);
	return false;
}

void keeper_look(struct keeper *k)
{
	keeper_is_idle(k, false);
}

void keeper_forget(struct keeper *k)
{
	keeper_kill_writer(k);
	if (k->path && unlink(k->path) < 0 && k->fd >= 0 && ftruncate(k->fd, 0) < 0)
		keeper_report_error(k, -errno);
	close_fd(&k->fd);
}
