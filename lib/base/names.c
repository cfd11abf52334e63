/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c - list the names in a directory */
#include "base/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/vec.h"

/* how many names beyond NAMES_MAX are collected before the list is sorted and cut */
#define NAMES_SLACK 4096

void names_free(struct names *n)
{
	free(n->name);
	*n = (struct names){ 0 };
}

static int names_compare(const void *a, const void *b)
{
	return strverscmp(a, b);
}

/* Sort, and keep the first NAMES_MAX. */
static void names_sort(struct names *n)
{
	if (n->n)
		qsort(n->name, n->n, sizeof(*n->name), names_compare);
	if (n->n > NAMES_MAX)
		n->n = NAMES_MAX;
}

static void names_add(struct names *n, const char *name)
{
	if (strlen(name) >= NAME_SIZE)
		return;
	if (n->n == NAMES_MAX + NAMES_SLACK)
		names_sort(n);
	n->name = vec_reserve(n->name, &n->cap, n->n + 1, sizeof(*n->name));
	str_copy(n->name[n->n++], NAME_SIZE, str_of(name));
}

static bool names_is_wanted(const struct dirent64 *e, const char *prefix, enum names_of of)
{
	if (e->d_name[0] == '.' || strncmp(e->d_name, prefix, strlen(prefix)) != 0)
		return false;
	return of == NAMES_OF_ALL || e->d_type == DT_DIR || e->d_type == DT_LNK ||
	       e->d_type == DT_UNKNOWN;
}

int names_read(struct names *n, int dirfd, const char *prefix, enum names_of of)
{
	_Alignas(8) char buf[8192];
	long got;
	n->n = 0;
	if (lseek(dirfd, 0, SEEK_SET) < 0)
		return -errno;
	while ((got = syscall(SYS_getdents64, dirfd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < got; ) {
			const struct dirent64 *e = (const void *)(buf + at);
			if (names_is_wanted(e, prefix, of))
				names_add(n, e->d_name);
			at += e->d_reclen;
		}
	}
	if (got < 0)
		return -errno;
	names_sort(n);
	return 0;
}

int names_list(struct names *n, const struct files *f, const char *dir, const char *prefix)
{
	int fd CLEANUP(close_fd) = files_open(f, dir, O_RDONLY | O_DIRECTORY);
	n->n = 0;
	return fd < 0 ? fd : names_read(n, fd, prefix, NAMES_OF_ALL);
}
