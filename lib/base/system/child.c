/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c - end child processes with their parent, and wait for them in bounded time */
#include "base/system/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/str.h"

pid_t child_fork(int signal)
{
	pid_t parent = getpid(), pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != parent)
		_exit(1);
	return 0;
}

pid_t child_fork_named(const char *name, int signal)
{
	char own_name[16] = "";
	prctl(PR_GET_NAME, own_name);
	prctl(PR_SET_NAME, name);
	pid_t pid = signal ? child_fork(signal) : fork();
	if (pid != 0)
		prctl(PR_SET_NAME, own_name);
	return pid;
}

bool child_has_ended(pid_t pid, int ms)
{
	struct timespec pause = { 0, 1000000 };
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (ms-- <= 0)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

bool child_kill(pid_t pid, int ms)
{
	kill(pid, SIGKILL);
	return child_has_ended(pid, ms);
}

int child_find(const char *name)
{
	const char *path = getenv("PATH");
	struct str text = str_of(path ? path : "/bin:/usr/bin"), dir;
	char one[4096];
	int e = -ENOENT;
	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? 0 : -errno;
	while (text.n) {
		if (!str_take_until(&text, ':', &dir)) {
			dir = text;
			text.n = 0;
		}
		int n = snprintf(one, sizeof(one), STR_FMT "%s%s", STR_ARG(dir),
				 dir.n ? "/" : "", name);
		if (n < (int)sizeof(one) && access(one, X_OK) == 0)
			return 0;
		e = errno == EACCES ? -EACCES : e;
	}
	return e;
}
