/* SPDX-License-Identifier: BSD-3-Clause */
/* vfs - directory entries, files and inodes in use, from /proc/sys/fs */
#include "collectors/collector.h"
#include "schema/types/vfs.h"

/* The file of each key (Documentation/admin-guide/sysctl/fs.rst), which may be missing. */
static const struct use_file {
	size_t key;
	const char *path;
	/* subtract the second number in the file, which counts unused objects */
	bool less_unused;
} sources[] = {
	{ DENTRY_USE, "proc/sys/fs/dentry-state", true  },
	{ FILE_USE,   "proc/sys/fs/file-nr",      false },
	{ INODE_USE,  "proc/sys/fs/inode-state",  true  },
};

static bool read_use(struct source *s, const struct use_file *from, uint64_t *use)
{
	struct str text;
	uint64_t all, unused = 0;
	if (source_read(s, from->path, &text) < 0 || !str_take_u64(&text, &all))
		return false;
	if (from->less_unused && (!str_take_u64(&text, &unused) || unused > all))
		return false;

	*use = all - unused;
	return true;
}

static int vfs_collect(struct source *s)
{
	struct row row = rows_add(&s->rows, STR("-"));
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
	rows_drop(&s->rows);
	return source_absent(s, "/proc/sys/fs has no dentry-state, file-nr or inode-state to read");
}

const struct collector vfs_collector = {
	.type    = &vfs_type,
	.collect = vfs_collect,
};
