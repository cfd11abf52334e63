/* SPDX-License-Identifier: BSD-3-Clause */
/* tmpfs - bytes and files in file systems in memory, from statfs(2) of each */
#include "collectors/collector.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include "collectors/local_mounts.h"
#include "schema/types/tmpfs.h"

/*
 * Add the row of a mount. statfs(2) by path costs 110 ns more than by an open descriptor, but even
 * O_PATH would make umount(8) fail with EBUSY, and a job's private /tmp must go with the job. A
 * tmpfs without a limit (size=0, nr_inodes=0) does not report its use (mm/shmem.c).
 */
static void tmpfs_add_row(struct source *s, const struct local_mount *p)
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

static bool is_tmpfs(struct str type)
{
	return str_eq(type, STR("tmpfs"));
}

static void tmpfs_free_state(void *state)
{
	local_mounts_free(state);
}

static int tmpfs_collect(struct source *s)
{
	if (s->files.in_root)
		return source_absent(s, "a captured tree holds no mounted file system");

	struct local_mounts *p = source_state(s, sizeof(*p));
	s->end_state = tmpfs_free_state;
	int r = local_mounts_look(p, s, is_tmpfs);
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
