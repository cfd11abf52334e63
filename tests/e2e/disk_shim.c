/* SPDX-License-Identifier: BSD-3-Clause */
/* disk_shim.c - a disk that fails: LD_PRELOAD for disk_errors.sh, never installed */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The file named in $DISK_FAULT says what fails with EIO, below a folder that is called "archive":
 * "write", or "sync"; "sync once" does so once in all.
 */
int fdatasync(int fd);
ssize_t write(int fd, const void *buf, size_t n);

static int is_in_archive(int fd)
{
	char link[64], path[512];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	if (n < 0)
		return 0;
	path[n] = '\0';
	return strstr(path, "/archive/") != NULL;
}

static int fails(const char *what)
{
	char text[64] = "";
	const char *path = getenv("DISK_FAULT");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 0;
	long n = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	int yes = n > 0 && strncmp(text, what, strlen(what)) == 0;
	if (yes && strstr(text, "once"))
		syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	return yes;
}

int fdatasync(int fd)
{
	if (is_in_archive(fd) && fails("sync")) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	if (is_in_archive(fd) && fails("write")) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_write, fd, buf, n);
}
