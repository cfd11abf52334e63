/* SPDX-License-Identifier: BSD-3-Clause */
/* owner.c - change from root to the owner of the archive before reading other users' files */
#include "recorder/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/files.h"
#include "base/system/bounded.h"
#include "base/system/privileges.h"

/* ms: timeout for the archive's file system, since a hook must end within 2 s */
#define OWNER_MS 300

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

static int owner_of(const char *dir, struct identity *ret)
{
	struct stat st;
	if (stat(dir, &st) < 0)
		return -errno;
	*ret = (struct identity){ st.st_uid, st.st_gid };
	return 0;
}

/* Find the owner of the archive in a child process, since the archive's file system may hang. */
static void owner_look(void *arg, struct buf *out)
{
	const struct config *c = arg;
	struct identity who;
	if (archive_make_dirs(c->dir) < 0 || owner_of(c->dir, &who) < 0)
		return;
	buf_add(out, (struct str){ (const char *)&who, sizeof(who) });
}

/* Get the owner of the archive. Returns 0, -ENOENT, or -ETIMEDOUT if the file system hangs. */
static int owner_find(const struct config *c, struct identity *ret)
{
	struct buf found CLEANUP(buf_free) = { 0 };
	int e = bounded_run(OWNER_MS, owner_look, (void *)c, &found);
	if (e < 0)
		return e;
	if (found.n != sizeof(*ret))
		return -ENOENT;
	memcpy(ret, found.p, sizeof(*ret));
	return 0;
}

/*
 * Create the runtime directory and give it to the owner. An existing folder keeps its owner,
 * because the folder may be shared, such as /run.
 */
static void owner_make_runtime_dir(const char *dir, const struct identity *who)
{
	if (mkdir(dir, 0755) < 0)
		return;
	int fd CLEANUP(close_fd) = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fchown(fd, who->uid, who->gid) < 0)
		rmdir(dir);
}

/*
 * Return true if root can become the owner of the archive, and the owner can write both the archive
 * and the runtime directory.
 */
static bool owner_can_write(const struct config *c, const struct identity *archive)
{
	struct identity runtime = { 0, 0 };
	return archive->uid != 0 &&
	       (owner_of(c->runtime_dir, &runtime) < 0 || runtime.uid == archive->uid);
}

int owner_become(const struct config *c, bool asks_agent)
{
	uint64_t kept = owner_privileges(c);
	struct identity who;

	if (geteuid() != 0)
		return 0;
	int e = asks_agent ? -ETIMEDOUT : owner_find(c, &who);
	if (e == -ETIMEDOUT)
		return privileges_of_writer(c->runtime_dir, kept);
	if (e == 0)
		owner_make_runtime_dir(c->runtime_dir, &who);
	if (e == 0 && owner_can_write(c, &who))
		return privileges_become(&who, kept);
	return privileges_keep(kept | PRIVILEGES_OF_OWNER);
}

void owner_put(struct buf *b, const struct config *c)
{
	uint64_t kept = owner_privileges(c);
	struct identity who;
	if (owner_of(c->dir, &who) < 0 || !owner_can_write(c, &who))
		who = (struct identity){ 0, 0 };

	buf_addf(b, "uid %u, gid %u, capabilities ", (unsigned)who.uid, (unsigned)who.gid);
	privileges_put(b, who.uid ? kept : kept | PRIVILEGES_OF_OWNER);
}
