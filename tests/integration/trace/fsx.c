/* SPDX-License-Identifier: BSD-3-Clause */
/* fsx.c - do random operations on a file and compare each with a copy in memory */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEPS    700
#define FILE_MAX (256 * 1024)
#define ONE_MAX  (64 * 1024)

static char want[FILE_MAX], got[FILE_MAX];
static size_t size;
static int fd;
static const char *path;
static unsigned long step;

static void give_up(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	fprintf(stderr, "fsx: step %lu: ", step);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, " (%s)\n", strerror(errno));
	va_end(args);
	exit(1);
}

static size_t below(size_t n)
{
	return n ? (size_t)random() % n : 0;
}

static void compare(size_t at, size_t n, const char *what)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[at + i])
			give_up("%s: byte %zu is %d, not %d", what, at + i, got[i], want[at + i]);
}

static void fill(size_t at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		want[at + i] = (char)random();
	size = at + n > size ? at + n : size;
}

static void do_read(size_t at, size_t n)
{
	ssize_t r = pread(fd, got, n, (off_t)at);
	size_t there = at >= size ? 0 : size - at < n ? size - at : n;
	if (r != (ssize_t)there)
		give_up("read %zd of %zu at %zu, size %zu", r, there, at, size);
	compare(at, there, "read");
}

static void do_write(size_t at, size_t n)
{
	fill(at, n);
	if (pwrite(fd, want + at, n, (off_t)at) != (ssize_t)n)
		give_up("write of %zu at %zu", n, at);
}

static void do_truncate(size_t at, size_t n)
{
	(void)n;
	if ((random() % 2 ? ftruncate(fd, (off_t)at) : truncate(path, (off_t)at)) < 0)
		give_up("truncate to %zu", at);
	if (at < size)
		memset(want + at, 0, size - at);
	size = at;
}

static void do_map_read(size_t at, size_t n)
{
	if (size == 0)
		return;
	char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		give_up("mmap");
	at = at < size ? at : 0;
	n = size - at < n ? size - at : n;
	memcpy(got, map + at, n);
	munmap(map, size);
	compare(at, n, "mapped read");
}

static void do_map_write(size_t at, size_t n)
{
	if (size == 0)
		return;
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		give_up("mmap");
	at = at < size ? at : 0;
	n = size - at < n ? size - at : n;
	fill(at, n);
	memcpy(map + at, want + at, n);
	if (random() % 2 && msync(map, size, MS_SYNC) < 0)
		give_up("msync");
	munmap(map, size);
}

static void do_punch(size_t at, size_t n)
{
	if (n == 0 || at >= size)
		return;
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n) < 0) {
		if (errno == EOPNOTSUPP)
			return;
		give_up("punch");
	}
	memset(want + at, 0, size - at < n ? size - at : n);
}

static void do_allocate(size_t at, size_t n)
{
	if (n == 0)
		return;
	if (fallocate(fd, 0, (off_t)at, (off_t)n) < 0) {
		if (errno == EOPNOTSUPP)
			return;
		give_up("fallocate");
	}
	size = at + n > size ? at + n : size;
}

/* Copy within the file; source and target do not overlap. */
static void do_copy(size_t at, size_t n)
{
	loff_t in = 0, out = (loff_t)at;
	n = n < at ? n : at;
	n = n < size ? n : size;
	if (n == 0)
		return;
	ssize_t r = copy_file_range(fd, &in, fd, &out, n, 0);
	if (r < 0) {
		if (errno == EOPNOTSUPP || errno == EXDEV)
			return;
		give_up("copy of %zu to %zu", n, at);
	}
	memmove(want + at, want, (size_t)r);
	size = at + (size_t)r > size ? at + (size_t)r : size;
}

static void do_reopen(size_t at, size_t n)
{
	(void)at;
	(void)n;
	if (close(fd) < 0 || (fd = open(path, O_RDWR | (random() % 4 ? 0 : O_SYNC))) < 0)
		give_up("close and open");
}

static void do_sync(size_t at, size_t n)
{
	(void)n;
	if ((at % 2 ? fsync(fd) : fdatasync(fd)) < 0)
		give_up("fsync");
}

static void check_size(void)
{
	struct stat st;
	if ((random() % 2 ? fstat(fd, &st) : stat(path, &st)) < 0)
		give_up("stat");
	if ((size_t)st.st_size != size)
		give_up("the size is %lld, not %zu", (long long)st.st_size, size);
}

int main(int argc, char **argv)
{
	static void (*const op[])(size_t at, size_t n) = {
		do_read, do_read, do_write, do_write, do_map_read, do_map_write, do_truncate,
		do_punch, do_allocate, do_copy, do_reopen, do_sync,
	};
	if (argc != 3)
		return 2;
	path = argv[1];
	srandom((unsigned char)*argv[2]);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		give_up("open");
	for (step = 0; step < STEPS; step++) {
		size_t n = below(ONE_MAX), at = below(FILE_MAX - n);
		op[below(sizeof(op) / sizeof(op[0]))](at, n);
		check_size();
	}
	do_reopen(0, 0);
	do_read(0, FILE_MAX);
	return 0;
}
