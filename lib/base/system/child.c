/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c - end child processes with their parent, and wait for them in bounded time */
#include "base/system/child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
