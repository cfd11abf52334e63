/* SPDX-License-Identifier: BSD-3-Clause */
/* vfs - directory entries, files and inodes that are in use, from /proc/sys/fs */
#include "collectors/collector.h"

enum { DENTRY_USE, FILE_USE, INODE_USE };

static const struct metric metrics[] = {
	[DENTRY_USE] = { "dentry_use", GAUGE, "", "cached directory entries less the unused ones" },
	[FILE_USE]   = { "file_use",   GAUGE, "", "open files"                                    },
	[INODE_USE]  = { "inode_use",  GAUGE, "", "cached inodes less the unused ones"            },
};

/* Where each is: Documentation/admin-guide/sysctl/fs.rst. Any of the files may not be there. */
static const struct source {
	size_t key;
	const char *path;
	bool less_unused;	/* the second number is how many of the first are not used */
} sources[] = {
	{ DENTRY_USE, "proc/sys/fs/dentry-state", true  },
	{ FILE_USE,   "proc/sys/fs/file-nr",      false },
	{ INODE_USE,  "proc/sys/fs/inode-state",  true  },
};

static bool read_use(struct sample *s, const struct source *from, uint64_t *use)
{
	struct str text;
	uint64_t all, unused = 0;
	if (sample_read(s, from->path, &text) < 0 || !str_take_u64(&text, &all))
		return false;
	if (from->less_unused && (!str_take_u64(&text, &unused) || unused > all))
		return false;

	*use = all - unused;
	return true;
}

static int collect(struct sample *s)
{
	struct row row = sample_row(s, STR("-"));
	bool any = false;
	uint64_t use;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		if (!read_use(s, &sources[i], &use))
			continue;
		row_set(row, sources[i].key, use);
		any = true;
	}
	if (any)
		return 0;
	sample_drop_row(s);
	return sample_absent(s, "/proc/sys/fs has no dentry-state, file-nr or inode-state to read");
}

const struct collector vfs_collector = {
	.name    = "vfs",
	.summary = "files and inodes in use",
	.source  = "/proc/sys/fs/{dentry-state,file-nr,inode-state}, in this order",
	.device  = "the whole node",
	.collect = collect,
	METRICS(metrics),
};
