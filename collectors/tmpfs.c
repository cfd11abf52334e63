/* SPDX-License-Identifier: BSD-3-Clause */
/* tmpfs - what the file systems in memory hold, from statfs(2) of each */
#include "collectors/collector.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include "base/system/mounts.h"
#include "base/vec.h"
#include "schema/types/tmpfs.h"

#define TMPFS_MAX 4096		/* mounts looked at; nodes have ten or so, and one per login */
#define PATH_BYTES_MAX 4096

struct place {
	char *path;		/* to give to the kernel */
	char *device;		/* as /proc/mounts writes it */
};

struct places {
	struct mounts mounts;
	struct place *place;
	size_t n, cap;
};

/* To look up a path on one of these may wait for a server or a daemon that does not answer. */
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
 * Whether the path of a mount leads to it, and surely returns: nothing was mounted later on it or
 * above it, and no part of the way is a network's or a user's file system. The root directory does
 * not count. It is often listed after what an initramfs had mounted and moved below it; and on a
 * diskless node, where it is a network's, nothing at all runs while it hangs.
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

static void forget_places(struct places *p)
{
	while (p->n) {
		p->n--;
		free(p->place[p->n].path);
		free(p->place[p->n].device);
	}
}

static void add_place(struct places *p, struct str dir)
{
	char path[PATH_BYTES_MAX];
	if (p->n == TMPFS_MAX || !mount_path(path, sizeof(path), dir))
		return;
	p->place = vec_reserve(p->place, &p->cap, p->n + 1, sizeof(*p->place));
	p->place[p->n++] = (struct place){ xstrdup(str_of(path)), xstrdup(dir) };
}

static void end(void *state)
{
	struct places *p = state;
	forget_places(p);
	free(p->place);
	mounts_free(&p->mounts);
}

static int look_for_places(struct source *s, struct places *p)
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
			add_place(p, m.dir);
	return 0;
}

/*
 * By path and not through a descriptor kept open, which would be 110 ns cheaper: even one opened
 * with O_PATH makes umount(8) fail with EBUSY, and a job's private /tmp must go when the job does.
 * A tmpfs without a limit (size=0, nr_inodes=0) does not say what it holds (mm/shmem.c).
 */
static void add_row(struct source *s, const struct place *p)
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

static int collect(struct source *s)
{
	if (s->files.in_root)
		return source_absent(s, "a captured tree holds no mounted file system");

	struct places *p = source_state(s, sizeof(*p));
	s->end_state = end;
	int r = look_for_places(s, p);
	if (r < 0)
		return r;

	for (size_t i = 0; i < p->n; i++)
		add_row(s, &p->place[i]);
	return s->rows.n ? 0 : source_absent(s, "no tmpfs is mounted");
}

const struct collector tmpfs_collector = {
	.type    = &tmpfs_type,
	.collect = collect,
};
