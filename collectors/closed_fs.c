/* SPDX-License-Identifier: BSD-3-Clause */
/* closed_fs.c - file systems that give their statistics only to their own tools */
#include "collectors/collector.h"

#include "base/system/mounts.h"

struct closed_fs {
	const char *type;	/* type in /proc/mounts */
	const char *title;
	const char *why;	/* reason why operations cannot be read */
};

/*
 * The BeeGFS client has no statistics of operations: client_module/source/filesystem/ProcFs.c lists
 * its files in /proc. One of them, .status, only describes queues.
 */
static const struct closed_fs beegfs = {
	"beegfs", "BeeGFS", "/proc/fs/beegfs does not count operations; use beegfs-ctl",
};

/* Source: IBM Storage Scale, Administration Guide, "Monitoring I/O performance with mmpmon". */
static const struct closed_fs gpfs = {
	"gpfs", "GPFS", "only mmpmon can read its statistics",
};

static int closed_fs_collect(struct source *s)
{
	const struct closed_fs *fs = s->data;
	struct str list;
	struct mount m;
	/* read to the end: a line that lists a container's layers may have more than 1 KB */
	int r = source_read_as(s, "proc/mounts", FILE_TO_END, &list);
	if (r < 0)
		return r;

	while (mount_take(&list, &m))
		if (str_starts(m.type, str_of(fs->type)))
			return source_absent(s, "mounted on " STR_FMT ", but %s", STR_ARG(m.dir),
					     fs->why);
	return source_absent(s, "no %s mount", fs->title);
}

/* Collectors of types without keys: they only report why nothing can be read. */
const struct collector beegfs_collector = {
	.type    = &beegfs_type,
	.collect = closed_fs_collect,
	.data    = &beegfs,
};

const struct collector gpfs_collector = {
	.type    = &gpfs_type,
	.collect = closed_fs_collect,
	.data    = &gpfs,
};
