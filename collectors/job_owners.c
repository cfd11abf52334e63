/* SPDX-License-Identifier: BSD-3-Clause */
/* job_owners.c - check the owners of directories and files that name jobs */
#include "collectors/job_owners.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "base/system/users.h"

bool job_owner_is_known(const struct source *s, const struct stat *st)
{
	struct stat root;
	if (st->st_mode & S_IWOTH)
		return false;
	if (st->st_uid == 0 || (s->shared && users_has(&s->shared->job_owners, st->st_uid)))
		return true;
	return s->files.in_root && fstat(s->files.rootfd, &root) == 0 &&
	       st->st_uid == root.st_uid;
}

bool job_owners_any(const struct source *s)
{
	return s->files.in_root || (s->shared && s->shared->job_owners.n);
}

int job_open_known(const struct source *s, const char *path, struct stat *st)
{
	int fd = files_open(&s->files, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	int r = fstat(fd, st) < 0 ? -errno : job_owner_is_known(s, st) ? fd : -EACCES;
	if (r < 0)
		close_fd(&fd);
	return r;
}

bool job_may_enter(const struct source *s, const char *path)
{
	struct stat st;
	int fd CLEANUP(close_fd) = job_open_known(s, path, &st);
	return fd != -EACCES;
}

bool job_path_is_known(const struct source *s, const char *path, size_t n)
{
	char dir[512];
	struct stat st;
	size_t all = strlen(path);
	for (; n < all; n++) {
		if (path[n] != '/')
			continue;
		if (!str_copy(dir, sizeof(dir), (struct str){ path, n }))
			return false;
		int fd CLEANUP(close_fd) = job_open_known(s, dir, &st);
		if (fd < 0)
			return false;
	}
	return true;
}
