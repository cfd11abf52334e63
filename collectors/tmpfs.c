/* SPDX-License-Identifier: BSD-3-Clause */
/* tmpfs - bytes and files in file systems in memory, from statfs(2) of each */
#include "collectors/collector.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include "base/system/mounts.h"
#include "base/vec.h"
#include "schema/types/tmpfs.h"

#define TMPFS_MAX 4096		/* mounts; a node has about ten, and one per login */
#define PATH_BYTES_MAX 4096

struct tmpfs_mount {
	char *path;		/* path for system calls */
	char *device;		/* path as written in /proc/mounts, with escapes */
};

struct tmpfs_mounts {
	struct mounts mounts;
	struct tmpfs_mount *place;
	size_t n, cap;
};

/*
 * Returns true for file systems on which a path lookup may wait for a server or daemon that does
 * not answer.
 */
static bool can_hang(struct str type)
{
	static const char *const kinds[] = {
		"9p", "afs", "autofs", "beegfs", "ceph", "cifs", "coda", "glusterfs", "gpfs",
		"lustre", "ncpfs", "nfs", "nfs4", "orangefs", "panfs", "pvfs2", "smb3", "smbfs",
		"virtiofs", "wekafs",
	};
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_eq(type, str_of(kinds[i])))
			return true;
	return str_starts(type, STR("fuse"));
}

/*
 * Returns true if the path of a mount leads to the mount, and looking it up cannot hang: nothing
 * was mounted later on the path or above, and no component is on a network or user-space file
 * system. The root directory is exempt: it is often listed after mounts that an initramfs made and
 * moved below; and if the root of a diskless node hangs, nothing runs anyway.
 */
static bool is_in_reach(struct str list, const struct mount *want)
{
	struct mount m;
	bool later = false;
	while (mount_take(&list, &m)) {
		if (m.dir.p == want->dir.p) {
			later = true;
			continue;
		}
		if (!mount_is_below(want->dir, m.dir) || (m.dir.n == 1 && want->dir.n > 1))
			continue;
		if (later || can_hang(m.type))
			return false;
	}
	return true;
}

static void forget_places(struct tmpfs_mounts *p)
{
	while (p->n) {
		p->n--;
		free(p->place[p->n].path);
		free(p->place[p->n].device);
	}
}

static void tmpfs_add_mount(struct tmpfs_mounts *p, struct str dir)
{
	char path[PATH_BYTES_MAX];
	if (p->n == TMPFS_MAX || !mount_path(path, sizeof(path), dir))
		return;
	p->place = vec_reserve(p->place, &p->cap, p->n + 1, sizeof(*p->place));
	p->place[p->n++] = (struct tmpfs_mount){ xstrdup(str_of(path)), xstrdup(dir) };
}

static void tmpfs_free_state(void *state)
{
	struct tmpfs_mounts *p = state;
	forget_places(p);
	free(p->place);
	mounts_free(&p->mounts);
}

static int look_for_places(struct source *s, struct tmpfs_mounts *p)
{
	struct str list;
	struct mount m;
	int r = mounts_changed(&p->mounts, &s->files, &list);
	if (r < 0)
		return source_absent(s, "/proc/mounts: %s", strerror(-r));
	if (r == 0)
		return 0;

	s->bytes += list.n;
	forget_places(p);
	for (struct str rest = list; mount_take(&rest, &m); )
		if (str_eq(m.type, STR("tmpfs")) && is_in_reach(list, &m))
			tmpfs_add_mount(p, m.dir);
	return 0;
}

/*
 * Add the row of a mount. statfs(2) by path costs 110 ns more than by an open descriptor, but even
 * O_PATH would make umount(8) fail with EBUSY, and a job's private /tmp must go with the job. A
 * tmpfs without a limit (size=0, nr_inodes=0) does not report its use (mm/shmem.c).
 */
static void tmpfs_add_row(struct source *s, const struct tmpfs_mount *p)
{
	struct statfs f;
	if (statfs(p->path, &f) < 0 || f.f_type != TMPFS_MAGIC)
		return;

	struct row row = rows_add_escaped(&s->rows, str_of(p->device));
	if (f.f_blocks)
		row_set(row, BYTES_USED, (uint64_t)f.f_frsize * (f.f_blocks - f.f_bfree));
	if (f.f_files)
		row_set(row, FILES_USED, f.f_files - f.f_ffree);
}

static int tmpfs_collect(struct source *s)
{
	if (s->files.in_root)
		return source_absent(s, "a captured tree holds no mounted file system");

	struct tmpfs_mounts *p = source_state(s, sizeof(*p));
	s->end_state = tmpfs_free_state;
	int r = look_for_places(s, p);
	if (r < 0)
		return r;

	for (size_t i = 0; i < p->n; i++)
		tmpfs_add_row(s, &p->place[i]);
	return s->rows.n ? 0 : source_absent(s, "no tmpfs is mounted");
}

const struct collector tmpfs_collector = {
	.type    = &tmpfs_type,
	.collect = tmpfs_collect,
};
