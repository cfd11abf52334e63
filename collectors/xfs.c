/* SPDX-License-Identifier: BSD-3-Clause */
/* xfs - operations on each XFS file system, from /sys/fs/xfs or /proc/fs/xfs */
#include "collectors/collector.h"
#include "collectors/word_lines.h"
#include "schema/types/xfs.h"

/*
 * Positions of numbers: fs/xfs/xfs_stats.c, xfs_stats_format(), and Documentation/filesystems/xfs.
 */
static const struct word_place places[] = {
	{ "dir",   0, XFS_LOOKUP },     { "dir",   1, XFS_CREATE },
	{ "dir",   2, XFS_REMOVE },     { "dir",   3, XFS_GETDENTS },
	{ "trans", 0, XFS_TRANS_SYNC }, { "trans", 1, XFS_TRANS_ASYNC },
	{ "trans", 2, XFS_TRANS_EMPTY },
	{ "ig",    0, XFS_INODE_TRIES }, { "ig",   1, XFS_INODE_HITS },
	{ "rw",    0, XFS_WRITE_CALLS }, { "rw",   1, XFS_READ_CALLS },
	{ "xpc",   1, XFS_WRITE_BYTES }, { "xpc",  2, XFS_READ_BYTES },
};

static void xfs_add_row(struct source *s, struct str device, struct str text)
{
	if (!row_word_lines(rows_add(&s->rows, device), text, places, ARRAY_SIZE(places)))
		rows_drop(&s->rows);
}

/*
 * Add a row for each file system. The directories "stats" (the sum of all file systems) and "debug"
 * are skipped, because they have no file stats/stats.
 */
static int xfs_collect(struct source *s)
{
	struct str text;
	int n = source_devices(s, "sys/fs/xfs", "");
	bool each = false;
	for (int i = 0; i < n; i++) {
		const char *name = source_device_name(s, (size_t)i);
		each |= str_eq(str_of(name), STR("stats"));
		if (source_read_in(s, "sys/fs/xfs", name, "stats/stats", &text) == 0)
			xfs_add_row(s, str_of(name), text);
	}
	if (!s->rows.n && !each && source_read(s, "proc/fs/xfs/stat", &text) == 0)
		xfs_add_row(s, STR("-"), text);
	return s->rows.n ? 0 : source_absent(s, "no XFS file system is mounted");
}

const struct collector xfs_collector = {
	.type    = &xfs_type,
	.collect = xfs_collect,
};
