/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c - keeps a receiver's state in a file, every minute and at its end */
#include "tracers/xrootd/state/keeper.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(struct keeper *k, int e)
{
	if (e < 0 && !k->failed)
		say_error(k->listener, "%s: %s; what is open would be forgotten at an end", k->path,
			  strerror(-e));
	k->failed = e < 0;
}

/* True: nobody writes. */
static bool is_done(struct keeper *k, int how)
{
	int status;
	if (k->pid > 0 && waitpid(k->pid, &status, how) == k->pid) {
		k->pid = 0;
		if (WIFEXITED(status))
			say(k, -WEXITSTATUS(status));
	}
	return k->pid <= 0;
}

void keeper_save_aside(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		       const struct saved_output *o, int64_t now)
{
	if (!k->path || !is_done(k, WNOHANG))
		return;
	k->saved = now;
	k->pid = fork();
	if (k->pid == 0)
		_exit(-state_save(k->path, j, sums, o) & 0xff);
}

static void stop(struct keeper *k)
{
	if (k->pid > 0)
		kill(k->pid, SIGKILL);
	(void)is_done(k, 0);
}

bool keeper_save(struct keeper *k, const struct xrd_join *j, const struct xrd_sums *sums,
		 const struct saved_output *o)
{
	stop(k);
	int e = state_save(k->path, j, sums, o);
	say(k, e);
	return e == 0;
}

void keeper_forget(struct keeper *k)
{
	stop(k);
	if (k->path)
		unlink(k->path);
}
