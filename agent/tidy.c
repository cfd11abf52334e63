/* SPDX-License-Identifier: BSD-3-Clause */
/* tidy.c - starts nodometer-tidy */
#include "agent/tidy.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent/program.h"
#include "base/log.h"

static pid_t spawn(const char *path, char **argv)
{
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);	/* the agent blocks what it waits for */
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	int e = posix_spawn(&pid, path, NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	return e ? -e : pid;
}

pid_t tidy_start(const struct config *c, const char *host)
{
	char path[PROGRAM_PATH_MAX], dir[CONFIG_TEXT_MAX + 260], program[] = "nodometer-tidy";
	char days[64], size[64], room[64], compress[] = "--compress";
	char *argv[] = { program, dir, days, size, room, c->compress ? compress : NULL, NULL };

	snprintf(dir, sizeof(dir), "%s/%s", c->dir, host);
	snprintf(days, sizeof(days), "--retain-days=%lld", (long long)c->retain_days);
	snprintf(size, sizeof(size), "--retain-size=%lld", (long long)c->retain_size);
	snprintf(room, sizeof(room), "--free-floor=%lld", (long long)c->free_floor);
	int r = program_find("tidy", path);
	pid_t pid = r < 0 ? r : spawn(path, argv);
	if (pid < 0)
		log_warning("%s: %s; closed files stay as they are", path, strerror(-pid));
	return pid;
}

void tidy_wait(pid_t pid)
{
	if (pid > 0)
		waitpid(pid, NULL, 0);
}
