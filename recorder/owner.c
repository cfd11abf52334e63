/* SPDX-License-Identifier: BSD-3-Clause */
/* owner.c - root becomes the owner of the archive before it reads what others wrote */
#include "recorder/owner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/files.h"
#include "base/system/privileges.h"

uint64_t owner_privileges(const struct config *c)
{
	uint64_t all = 0;
	for (size_t i = 0; i < n_collectors; i++)
		if (type_is_on(collectors[i], c->use[i]))
			all |= collector_needs(collectors[i]);
	if (c->named.n)
		all |= PRIVILEGE_PERFMON;
	return privileges_here(all);
}

/* A folder that was there stays whose it is: it may be others', too, such as /run. */
static void make_runtime_dir(const char *dir, const struct stat *archive)
{
	if (mkdir(dir, 0755) < 0)
		return;
	int fd CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fchown(fd, archive->st_uid, archive->st_gid) < 0)
		rmdir(dir);
}

/* Whether root can become the owner, who then can write both folders. */
static bool has_owner(const struct config *c, const struct stat *archive)
{
	struct stat st;
	return archive->st_uid != 0 &&
	       (stat(c->runtime_dir, &st) < 0 || st.st_uid == archive->st_uid);
}

int owner_become(const struct config *c)
{
	uint64_t kept = owner_privileges(c);
	struct stat st;

	if (geteuid() != 0)
		return 0;
	if (archive_make_dirs(c->dir) == 0 && stat(c->dir, &st) == 0) {
		make_runtime_dir(c->runtime_dir, &st);
		if (has_owner(c, &st))
			return privileges_of_owner(c->dir, kept);
	}
	return privileges_keep(kept | PRIVILEGES_OF_OWNER);
}

void owner_put(struct buf *b, const struct config *c)
{
	uint64_t kept = owner_privileges(c);
	struct stat st;
	bool owner = stat(c->dir, &st) == 0 && has_owner(c, &st);

	buf_addf(b, "uid %u, gid %u, capabilities ", owner ? (unsigned)st.st_uid : 0,
		 owner ? (unsigned)st.st_gid : 0);
	privileges_put(b, owner ? kept : kept | PRIVILEGES_OF_OWNER);
}
