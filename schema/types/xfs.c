/* SPDX-License-Identifier: BSD-3-Clause */
/* xfs.c - type xfs: operations on XFS file systems */
#include "schema/type.h"
#include "schema/types/xfs.h"

#define COUNT(what, help) { what, COUNTER, "", help, .bits = 32 }

static const struct metric metrics[] = {
	[XFS_READ_BYTES]  = { "read_bytes",  COUNTER, "B", "read by read(2) and its like" },
	[XFS_WRITE_BYTES] = { "write_bytes", COUNTER, "B", "written by write(2) and its like" },
	[XFS_READ_CALLS]  = COUNT("read_calls",  "calls of read(2) and its like"),
	[XFS_WRITE_CALLS] = COUNT("write_calls", "calls of write(2) and its like"),
	[XFS_LOOKUP]      = COUNT("lookup",      "names looked up on the file system"),
	[XFS_CREATE]      = COUNT("create",      "directory entries made"),
	[XFS_REMOVE]      = COUNT("remove",      "directory entries removed"),
	[XFS_GETDENTS]    = COUNT("getdents",    "directories read, a part each"),
	[XFS_TRANS_SYNC]  = COUNT("trans_sync",  "transactions that waited for the log"),
	[XFS_TRANS_ASYNC] = COUNT("trans_async", "transactions that did not"),
	[XFS_TRANS_EMPTY] = COUNT("trans_empty", "transactions that changed nothing"),
	[XFS_INODE_TRIES] = COUNT("ig_attempts", "inodes looked for in the cache"),
	[XFS_INODE_HITS]  = COUNT("ig_found",    "inodes found there"),
};

const struct type xfs_type = {
	.name    = "xfs",
	.about   = "operations on XFS file systems",
	.source  = "/sys/fs/xfs/DEV/stats/stats, before Linux 4.4 /proc/fs/xfs/stat; lines xpc, "
		   "rw, dir, trans and ig",
	.device  = "the disk; - is all file systems, before Linux 4.4",
	.off     = true,
	METRICS(metrics),
};
