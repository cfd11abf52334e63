/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.c - work that is done in a process of its own, which ends with it */
#include "base/system/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS      5000
#define MEMORY_BYTES ((uint64_t)256 << 20)	/* hwloc takes 1 to 10 MB, of odd trees gigabytes */

/* The limit is the size of this process and 256 MB, because a sanitizer maps terabytes. */
static void limit_memory(void)
{
	struct files root = { .rootfd = AT_FDCWD };
	struct rlimit limit;
	uint64_t pages;
	char buf[64];
	struct str line = files_line(&root, "/proc/self/statm", buf, sizeof(buf));
	if (!str_take_u64(&line, &pages) || getrlimit(RLIMIT_AS, &limit) < 0)
		return;
	rlim_t most = pages * (uint64_t)sysconf(_SC_PAGESIZE) + MEMORY_BYTES;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	if (setrlimit(RLIMIT_AS, &limit) < 0)
		return;		/* the time is bounded all the same */
}

static _Noreturn void work_alone(void (*work)(void *), void *arg, const struct files *root)
{
	struct rlimit none = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    setrlimit(RLIMIT_CORE, &none) < 0 || fchdir(root->rootfd) < 0)
		_exit(1);
	limit_memory();
	work(arg);
	_exit(0);
}

/* The pipe's other end is open as long as the process lives. */
static int wait_for(pid_t pid, int fd)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };
	int r;
	do
		r = poll(&end, 1, WAIT_MS);
	while (r < 0 && errno == EINTR);
	if (r <= 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r > 0 ? 0 : -ETIMEDOUT;
}

int apart_run(void (*work)(void *arg), void *arg, const struct files *root)
{
	int end[2];
	if (pipe2(end, O_CLOEXEC) < 0)
		return -errno;
	pid_t pid = fork();
	int r = pid < 0 ? -errno : 0;
	if (pid == 0)
		work_alone(work, arg, root);
	close(end[1]);
	if (r == 0)
		r = wait_for(pid, end[0]);
	close(end[0]);
	return r;
}
