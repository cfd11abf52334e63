/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.c - system calls of the perf subsystem */
#include "collectors/pmu/perf.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* number of descriptors to leave for the agent's files and sockets */
#define SPARE_FDS 64

static bool is_spare(int fd)
{
	struct rlimit l;
	return getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur != RLIM_INFINITY &&
	       (rlim_t)fd + SPARE_FDS >= l.rlim_cur;
}

static bool raise_limit(void)
{
	struct rlimit l;
	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur == l.rlim_max)
		return false;
	l.rlim_cur = l.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &l) == 0;
}

static int open_one(struct perf_event_attr *attr, int cpu, int group_fd)
{
	long fd = syscall(SYS_perf_event_open, attr, -1, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (is_spare((int)fd)) {
		close((int)fd);
		return -EMFILE;
	}
	return (int)fd;
}

int perf_open(struct perf_event_attr *attr, int cpu, int group_fd)
{
	int fd = open_one(attr, cpu, group_fd);
	if (fd == -EMFILE && raise_limit())
		fd = open_one(attr, cpu, group_fd);
	return fd;
}

int perf_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

int perf_read(int fd, uint64_t *value, size_t n)
{
	ssize_t got = read(fd, value, n * sizeof(*value));
	return got < 0 ? -errno : (int)((size_t)got / sizeof(*value));
}

/*
 * Disable the counter before closing it: a forked child may still have the descriptor, and would
 * keep the hardware counter busy.
 */
void perf_close(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	close(fd);
}
