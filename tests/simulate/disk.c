/* SPDX-License-Identifier: BSD-3-Clause */
/* disk.c - LD_PRELOAD for simulate.py: a disk that fills and hangs, and keeps only synced data */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/simulate/world.h"

#define BLOCKS (INT64_C(1) << 28)

static char disk[256], root[256];	/* paths of the simulated disk and of the node's root */

__attribute__((constructor)) static void begin(void)
{
	sim_take("SIM_DISK", disk, sizeof(disk));
	sim_take("SIM_ROOT", root, sizeof(root));
}

static int is_disk(int fd)
{
	char link[32], path[512];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return disk[0] && strncmp(path, disk, strlen(disk)) == 0;
}

/*
 * Wait at least `ns` nanoseconds for the simulated disk. While it hangs, no signal ends the
 * process: a kill takes effect afterwards.
 */
static void await_disk(int64_t ns)
{
	sigset_t all;
	struct slot *s = &sim->slot[sim_self];
	int64_t until = sim_after_ns(ns);
	sigfillset(&all);
	s->in_disk = 1;
	do
		sim_block(until > sim->hangs_until_ns ? until : sim->hangs_until_ns, NULL, NULL,
			  &all);
	while (sim->mono_ns < sim->hangs_until_ns);
	s->in_disk = 0;
	if (!s->killed)
		return;
	sim_end();
	syscall(SYS_kill, s->pid, SIGKILL);
	for (;;)
		pause();
}

static void touch(int fd)
{
	struct timespec now = sim_of_ns(sim_wall_ns());
	syscall(SYS_utimensat, fd, NULL, (struct timespec[]){ now, now }, 0);
}

static struct file *file_of(int fd, int64_t *size)
{
	struct stat st;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	*size = st.st_size;
	return sim_file(st.st_ino, st.st_size);
}

/* Return how many of n bytes fit on the disk, or -1 if it is full. */
static ssize_t room_for(int fd, size_t n)
{
	int64_t size;
	if (sim->hangs_until_ns > sim->mono_ns)
		await_disk(0);
	struct file *f = file_of(fd, &size);
	if (f)
		f->written_ns = sim->mono_ns;
	if (sim->room < 0)
		return (ssize_t)n;
	if (n && sim->room == 0) {
		errno = ENOSPC;
		return -1;
	}
	return (ssize_t)n < sim->room ? (ssize_t)n : sim->room;
}

static ssize_t put(int fd, const void *p, size_t n, off_t at)
{
	int on_disk = sim_self > 0 && is_disk(fd);
	ssize_t done = (ssize_t)n;
	sim_call('w', p, n);
	if (on_disk)
		done = room_for(fd, n);
	if (done < 0)
		return -1;
	done = at < 0 ? syscall(SYS_write, fd, p, done) : syscall(SYS_pwrite64, fd, p, done, at);
	if (on_disk && done > 0 && sim->room >= 0)
		sim->room -= done;
	if (sim_self > 0 && done > 0 && fd > 2)
		touch(fd);
	return done;
}

ssize_t write(int fd, const void *p, size_t n)
{
	return put(fd, p, n, -1);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	return put(fd, p, n, at);
}

int ftruncate(int fd, off_t size)
{
	sim_call('t', &size, sizeof(size));
	int r = (int)syscall(SYS_ftruncate, fd, size);
	if (r == 0 && sim_self > 0)
		touch(fd);
	return r;
}

int fdatasync(int fd)
{
	int64_t size;
	if (sim_self <= 0)
		return (int)syscall(SYS_fdatasync, fd);
	sim_call('y', NULL, 0);
	if (!is_disk(fd))
		return 0;
	await_disk(100000 + (int64_t)(sim_random() % 4000000));
	if (sim->sync_fails) {
		sim->sync_fails--;
		errno = EIO;
		return -1;
	}
	struct file *f = file_of(fd, &size);
	if (f)
		f->synced = size;
	return 0;
}

int fsync(int fd)
{
	return fdatasync(fd);
}

static int opened(int fd, int flags)
{
	int64_t size = -1;
	int saved = errno;
	if (fd < 0 || sim_self <= 0 || !(flags & (O_CREAT | O_TRUNC)))
		return fd;
	sim_call('o', NULL, 0);
	struct file *f = is_disk(fd) ? file_of(fd, &size) : NULL;
	if (f && size == 0)
		*f = (struct file){ f->inode, 0, sim->mono_ns };
	if (size == 0)
		touch(fd);
	errno = saved;
	return fd;
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0;
	va_end(rest);
	return opened((int)syscall(SYS_openat, dir, path, flags, mode), flags);
}

int open(const char *path, int flags, ...)
{
	va_list rest;
	va_start(rest, flags);
	int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0;
	va_end(rest);
	if (sim_self > 0 && root[0] && strcmp(path, "/") == 0)
		path = root;
	return openat(AT_FDCWD, path, flags, mode);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	sim_call('n', to, strlen(to));
	return (int)syscall(SYS_renameat, from_dir, from, to_dir, to);
}

int rename(const char *from, const char *to)
{
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	sim_call('k', to, strlen(to));
	return (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int unlinkat(int dir, const char *name, int flags)
{
	sim_call('u', name, strlen(name));
	return (int)syscall(SYS_unlinkat, dir, name, flags);
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int fstatvfs(int fd, struct statvfs *v)
{
	if (sim_self <= 0) {
		static int (*of_libc)(int, struct statvfs *);
		of_libc = of_libc ? of_libc : (int (*)(int, struct statvfs *))sim_real("fstatvfs");
		return of_libc(fd, v);
	}
	*v = (struct statvfs){ .f_bsize = 4096, .f_frsize = 4096, .f_blocks = BLOCKS,
			       .f_namemax = 255 };
	v->f_bfree = v->f_bavail = sim->room < 0 ? BLOCKS / 2 : (fsblkcnt_t)sim->room / 4096;
	return 0;
}
