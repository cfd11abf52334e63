/* SPDX-License-Identifier: BSD-3-Clause */
/* local_mounts.c - list the mounts of local file systems whose paths cannot hang */
#include "collectors/local_mounts.h"

#include <stdlib.h>
#include <string.h>
#include "base/system/mounts.h"
#include "base/vec.h"

/* largest number of mounts; a node has about ten, and one more per login */
#define LOCAL_MOUNTS_MAX 4096
#define PATH_BYTES_MAX 4096

struct local_mounts {
	struct mounts mounts;
	struct local_mount *place;
	size_t n, cap;
};

/* Returns true if access to this type of file system may wait for a server or daemon. */
static bool can_hang(struct str type)
{
	static const char *const kinds[] = {
		"9p", "afs", "autofs", "beegfs", "ceph", "cifs", "coda", "dvs", "gfs2",
		"glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs",
		"panfs", "pvfs2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "wekafs",
	};
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_eq(type, str_of(kinds[i])))
			return true;
	return str_starts(type, STR("fuse"));
}

/*
 * Returns true if the mount's path leads to this mount and cannot hang: no later mount hides it or
 * a directory above it, and no component is on a network or user-space file system. For other
 * paths, the mount of "/" is not checked: it is often listed after mounts that an initramfs made
 * and moved below it, and if it hangs, nothing runs anyway.
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

static void local_mounts_forget(struct local_mounts *p)
{
	while (p->n) {
		p->n--;
		free(p->place[p->n].path);
		free(p->place[p->n].device);
	}
}

static void local_mounts_add(struct local_mounts *p, struct str dir)
{
	char path[PATH_BYTES_MAX];
	if (p->n == LOCAL_MOUNTS_MAX || !mount_path(path, sizeof(path), dir))
		return;
	p->place = vec_reserve(p->place, &p->cap, p->n + 1, sizeof(*p->place));
	p->place[p->n++] = (struct local_mount){ xstrdup(str_of(path)), xstrdup(dir) };
}

static void local_mounts_free(void *state)
{
	struct local_mounts *p = state;
	local_mounts_forget(p);
	free(p->place);
	mounts_free(&p->mounts);
}

static int local_mounts_look(struct local_mounts *p, struct source *s,
			     bool (*is_wanted)(struct str type))
{
	struct str list;
	struct mount m;
	int r = mounts_changed(&p->mounts, &s->files, &list);
	if (r < 0)
		return source_absent(s, "/proc/mounts: %s", strerror(-r));
	if (r == 0)
		return 0;
	s->bytes += list.n;
	local_mounts_forget(p);
	for (struct str rest = list; mount_take(&rest, &m); )
		if (is_wanted(m.type) && is_in_reach(list, &m))
			local_mounts_add(p, m.dir);
	return 0;
}

int local_mounts_collect(struct source *s, const struct local_mounts_kind *kind)
{
	if (s->files.in_root)
		return source_absent(s, "a captured tree holds no mounted file system");

	struct local_mounts *p = source_state(s, sizeof(*p));
	s->end_state = local_mounts_free;
	int r = local_mounts_look(p, s, kind->is_wanted);
	if (r < 0)
		return r;

	for (size_t i = 0; i < p->n; i++)
		kind->add_row(s, &p->place[i]);
	return s->rows.n ? 0 : source_absent(s, "%s", kind->absent);
}
