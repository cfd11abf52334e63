/* SPDX-License-Identifier: BSD-3-Clause */
/* tmpfs - bytes and files in each tmpfs, from statfs(2) */
#include "collectors/collector.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include "collectors/local_mounts.h"
#include "schema/types/tmpfs.h"

/*
 * Add the row of a mount. Do not keep the mount open: even with O_PATH, umount(8) would fail with
 * EBUSY, and a job's private /tmp must be unmounted when the job ends. A tmpfs without a limit
 * (size=0, nr_inodes=0) does not report its use (mm/shmem.c).
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

static int tmpfs_collect(struct source *s)
{
	static const struct local_mounts_kind kind = {
		is_tmpfs, tmpfs_add_row, "no tmpfs is mounted",
	};
	return local_mounts_collect(s, &kind);
}

const struct collector tmpfs_collector = {
	.type    = &tmpfs_type,
	.collect = tmpfs_collect,
};
