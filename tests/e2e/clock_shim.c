/* SPDX-License-Identifier: BSD-3-Clause */
/* clock_shim.c - a wall clock that can be set: LD_PRELOAD for clock.sh, never installed */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/*
 * The file named in $CLOCK_OFFSET holds the offset of the process's wall clock in seconds, as an
 * int64_t. When the offset changes, a timer on the wall clock behaves as with
 * TFD_TIMER_CANCEL_ON_SET in the kernel: it becomes readable, and read(2) fails with ECANCELED.
 * This happens at the next tick; the test uses short ticks.
 */
static int timer = -1;
static int64_t armed_with;

ssize_t read(int fd, void *buf, size_t n);
int clock_gettime(clockid_t clock, struct timespec *t);
int timerfd_create(clockid_t clock, int flags);
int timerfd_settime(int fd, int flags, const struct itimerspec *new_value,
		    struct itimerspec *old_value);

static int64_t offset(void)
{
	int64_t seconds = 0;
	const char *path = getenv("CLOCK_OFFSET");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0 && syscall(SYS_read, fd, &seconds, sizeof(seconds)) != sizeof(seconds))
		seconds = 0;
	if (fd >= 0)
		close(fd);
	return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, clock, t);
	if (r == 0 && clock == CLOCK_REALTIME)
		t->tv_sec += offset();
	return r;
}

int timerfd_create(clockid_t clock, int flags)
{
	int fd = (int)syscall(SYS_timerfd_create, clock, flags);
	if (clock == CLOCK_REALTIME)
		timer = fd;
	return fd;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new_value,
		    struct itimerspec *old_value)
{
	struct itimerspec t = *new_value;
	if (fd == timer) {
		armed_with = offset();
		t.it_value.tv_sec -= armed_with;
	}
	return (int)syscall(SYS_timerfd_settime, fd, flags, &t, old_value);
}

ssize_t read(int fd, void *buf, size_t n)
{
	ssize_t got = syscall(SYS_read, fd, buf, n);
	if (fd != timer || timer < 0 || offset() == armed_with)
		return got;
	errno = ECANCELED;
	return -1;
}
