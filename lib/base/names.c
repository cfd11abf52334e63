/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c - the names in a directory */
#include "base/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/vec.h"

void names_free(struct names *n)
{
	free(n->name);
	*n = (struct names){ 0 };
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

static void add_name(struct names *n, const char *name)
{
	if (n->n == NAMES_MAX || strlen(name) >= NAME_SIZE)
		return;
	n->name = vec_reserve(n->name, &n->cap, n->n + 1, sizeof(*n->name));
	str_copy(n->name[n->n++], NAME_SIZE, str_of(name));
}

static bool is_wanted(const struct dirent64 *e, const char *prefix, enum names_of of)
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
			if (is_wanted(e, prefix, of))
				add_name(n, e->d_name);
			at += e->d_reclen;
		}
	}
	if (got < 0)
		return -errno;
	if (n->n)
		qsort(n->name, n->n, sizeof(*n->name), by_name);
	return 0;
}

int names_list(struct names *n, const struct files *f, const char *dir, const char *prefix)
{
	int fd CLEANUP(close_fd) = files_open(f, dir, O_RDONLY | O_DIRECTORY);
	n->n = 0;
	return fd < 0 ? fd : names_read(n, fd, prefix, NAMES_OF_ALL);
}
