/* SPDX-License-Identifier: BSD-3-Clause */
/* tidy.c - decide when nodometer-tidy runs, and start it */
#include "archive/tidy.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/listener.h"
#include "base/system/program.h"
#include "base/str.h"

#define HOUR_NS 3600000000000
#define SOON_NS 60000000000
#define FLOOR_MAX (256u << 20)

bool tidy_due(struct tidy *t, bool now)
{
	int64_t at = monotonic_ns();
	t->soon |= now;
	if (t->running ||
	    (t->started_ns && at - t->started_ns < (t->soon ? SOON_NS : HOUR_NS)))
		return false;
	t->started_ns = at;
	t->soon = false;
	return true;
}

bool tidy_below(const struct statvfs *v, int64_t free_floor)
{
	uint64_t room = (uint64_t)v->f_bavail * v->f_frsize;
	uint64_t share = (uint64_t)v->f_blocks * v->f_frsize / 20, floor = (uint64_t)free_floor;
	if (free_floor == TIDY_FLOOR)
		floor = share < FLOOR_MAX ? share : FLOOR_MAX;
	return room < floor;
}

void tidy_ended(struct tidy *t, bool failed, const struct listener *listener)
{
	t->running = false;
	if (failed)
		say_warning(listener, "nodometer-tidy failed; retrying within an hour");
}

static pid_t tidy_spawn(const char *path, char **argv)
{
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	/* unblock all signals: the new program would inherit the caller's blocked signals */
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	int e = posix_spawn(&pid, path, NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	return e ? -e : pid;
}

pid_t tidy_start(const char *dir, const char *host, const struct tidy_limits *l,
		 const struct listener *listener)
{
	char path[PROGRAM_PATH_MAX], archive[PATH_MAX], program[] = "nodometer-tidy";
	char days[64], size[64], room[64], compress[] = "--compress";
	char *argv[] = { program, archive, days, size, room, l->compress ? compress : NULL, NULL };

	bool cut = (size_t)snprintf(archive, sizeof(archive), "%s/%s", dir, host) >=
		   sizeof(archive);
	snprintf(days, sizeof(days), "--retain-days=%lld", (long long)l->days);
	snprintf(size, sizeof(size), "--retain-size=%lld", (long long)l->bytes);
	if (l->free_floor == TIDY_FLOOR)
		str_copy(room, sizeof(room), STR("--free-floor=default"));
	else
		snprintf(room, sizeof(room), "--free-floor=%lld", (long long)l->free_floor);
	int r = cut ? -ENAMETOOLONG : program_find("tidy", path);
	pid_t pid = r < 0 ? r : tidy_spawn(path, argv);
	if (pid < 0)
		say_warning(listener, "cannot start nodometer-tidy: %s; closed files of %s/%s are "
			    "not compressed or removed", strerror(-pid), dir, host);
	return pid;
}

void tidy_look(struct tidy *t, const char *dir, const char *host, const struct tidy_limits *l,
	       bool now, const struct listener *listener)
{
	int status;
	if (t->running && waitpid(t->pid, &status, WNOHANG) == t->pid)
		tidy_ended(t, status != 0, listener);
	if (!tidy_due(t, now))
		return;
	t->pid = tidy_start(dir, host, l, listener);
	t->running = t->pid > 0;
}

void tidy_wait(pid_t pid)
{
	if (pid > 0)
		waitpid(pid, NULL, 0);
}
