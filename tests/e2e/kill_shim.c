/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kill_shim.c - make children that no signal ends, and a caller that does not wait for them:
 * LD_PRELOAD for send_hung.sh
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Keep the children of the first process that calls this function alive, like processes that wait
 * for a disk.
 */
int kill(pid_t pid, int which)
{
	const char *path = getenv("KILL_WORKS");
	if (pid != getpid() && path && access(path, F_OK) != 0)
		return 0;
	return (int)syscall(SYS_kill, pid, which);
}

int poll(struct pollfd *p, nfds_t n, int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	return n ? ppoll(p, n, ms < 0 ? NULL : &t, NULL) : 0;
}
