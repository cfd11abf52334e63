/* SPDX-License-Identifier: BSD-3-Clause */
/* vfs.c - type vfs: files and inodes in use */
#include "schema/type.h"
#include "schema/types/vfs.h"

static const struct metric metrics[] = {
	[DENTRY_USE] = { "dentry_use", GAUGE, "", "cached directory entries less the unused ones" },
	[FILE_USE]   = { "file_use",   GAUGE, "", "open files"                                    },
	[INODE_USE]  = { "inode_use",  GAUGE, "", "cached inodes less the unused ones"            },
};

const struct type vfs_type = {
	.name    = "vfs",
	.about   = "files and inodes in use",
	.source  = "/proc/sys/fs/{dentry-state,file-nr,inode-state}, in this order",
	.device  = "the whole node",
	METRICS(metrics),
};
