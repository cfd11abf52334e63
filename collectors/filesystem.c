/* SPDX-License-Identifier: BSD-3-Clause */
/* filesystem - space on each local file system, from statfs(2) */
#include "collectors/collector.h"

#include <sys/statvfs.h>
#include <sys/vfs.h>
#include "collectors/local_mounts.h"
#include "schema/types/filesystem.h"

static bool filesystem_is_local(struct str type)
{
	static const char *const kinds[] = {
		"bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay",
		"reiserfs", "squashfs", "tmpfs", "vfat", "xfs", "zfs",
	};
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_eq(type, str_of(kinds[i])))
			return true;
	return false;
}

static void filesystem_add_row(struct source *s, const struct local_mount *p)
{
	struct statfs f;
	if (statfs(p->path, &f) < 0 || !f.f_blocks)
		return;
	struct row row = rows_add_escaped(&s->rows, str_of(p->device));
	uint64_t block = (uint64_t)f.f_frsize;
	row_set(row, FS_SIZE, block * f.f_blocks);
	row_set(row, FS_FREE, block * f.f_bfree);
	row_set(row, FS_AVAIL, block * f.f_bavail);
	row_set(row, FS_FILES, f.f_files);
	row_set(row, FS_FILES_FREE, f.f_ffree);
	row_set(row, FS_READONLY, (f.f_flags & ST_RDONLY) != 0);
}

static int filesystem_collect(struct source *s)
{
	static const struct local_mounts_kind kind = {
		filesystem_is_local, filesystem_add_row, "no local file system is mounted",
	};
	return local_mounts_collect(s, &kind);
}

const struct collector filesystem_collector = {
	.type    = &filesystem_type,
	.collect = filesystem_collect,
};
