/* SPDX-License-Identifier: BSD-3-Clause */
/* disk_shim.c - a disk that fails: LD_PRELOAD for disk_errors.sh, never installed */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The file named in $DISK_FAULT selects the calls that fail below a folder called "archive". With
 * "write", write(2) fails with EIO, and with "sync", fdatasync(2). With "sync once", fdatasync(2)
 * fails only once. With "hang once", write(2) never returns, but only the first time. With
 * "readonly", all writing calls fail with EROFS, also on open files, as after the kernel has made
 * a file system read-only.
 */
int fdatasync(int fd);
int ftruncate(int fd, off_t size);
int openat(int dirfd, const char *path, int flags, ...);
ssize_t write(int fd, const void *buf, size_t n);

static int is_in_archive(int fd)
{
	char link[64], path[512];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	if (n < 0)
		return 0;
	path[n] = '\0';
	return strstr(path, "/archive") != NULL;
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

int ftruncate(int fd, off_t size)
{
	if (is_in_archive(fd) && fails("readonly")) {
		errno = EROFS;
		return -1;
	}
	return (int)syscall(SYS_ftruncate, fd, size);
}

int openat(int dirfd, const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	int mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (flags & (O_WRONLY | O_RDWR | O_CREAT) && path[0] != '/' && is_in_archive(dirfd) &&
	    fails("readonly")) {
		errno = EROFS;
		return -1;
	}
	return (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	if (is_in_archive(fd) && fails("hang"))
		for (;;)
			pause();
	if (is_in_archive(fd) && fails("write")) {
		errno = EIO;
		return -1;
	}
	if (is_in_archive(fd) && fails("readonly")) {
		errno = EROFS;
		return -1;
	}
	return syscall(SYS_write, fd, buf, n);
}
