/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.c - run work in a short-lived process */
#include "base/system/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/system/child.h"

#define WAIT_MS      5000
/* ms to wait until a killed process has ended */
#define END_MS       100
/* hwloc takes 1 to 10 MB, but gigabytes if it reads an unusual tree of files */
#define MEMORY_BYTES ((uint64_t)256 << 20)

/*
 * Limit the memory to 256 MB more than the process has now; a fixed limit would fail with a
 * sanitizer, which has mapped terabytes already.
 */
static void apart_limit_memory(void)
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
		return;		/* no memory limit; the time limit still holds */
}

static _Noreturn void apart_work(void (*work)(void *), void *arg, const struct files *root)
{
	struct rlimit none = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    setrlimit(RLIMIT_CORE, &none) < 0 || fchdir(root->rootfd) < 0)
		_exit(1);
	apart_limit_memory();
	work(arg);
	_exit(0);
}

/* Wait until the process ends, which closes the other end of the pipe. */
static int apart_wait_until(pid_t pid, int fd)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };
	int r;
	do
		r = poll(&end, 1, WAIT_MS);
	while (r < 0 && errno == EINTR);
	child_kill(pid, END_MS);
	return r > 0 ? 0 : -ETIMEDOUT;
}

int apart_run(void (*work)(void *arg), void *arg, const struct files *root)
{
	int end[2];
	if (pipe2(end, O_CLOEXEC) < 0)
		return -errno;
	pid_t pid = child_fork(SIGKILL);
	int r = pid < 0 ? -errno : 0;
	if (pid == 0)
		apart_work(work, arg, root);
	close(end[1]);
	if (r == 0)
		r = apart_wait_until(pid, end[0]);
	close(end[0]);
	return r;
}
