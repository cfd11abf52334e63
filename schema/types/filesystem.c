/* SPDX-License-Identifier: BSD-3-Clause */
/* filesystem.c - type filesystem: space on local file systems */
#include "schema/type.h"
#include "schema/types/filesystem.h"

static const struct metric metrics[] = {
	[FS_SIZE]       = { "size",       GAUGE, "B", "size"                                     },
	[FS_FREE]       = { "free",       GAUGE, "B", "free space"                               },
	[FS_AVAIL]      = { "avail",      GAUGE, "B", "free space for users other than root"     },
	[FS_FILES]      = { "files",      GAUGE, "",  "inodes; 0: made as they are needed"       },
	[FS_FILES_FREE] = { "files_free", GAUGE, "",  "free inodes"                              },
	[FS_READONLY]   = { "readonly",   GAUGE, "",  "1: mounted read-only, also after an error" },
};

const struct type filesystem_type = {
	.name    = "filesystem",
	.about   = "space on local file systems",
	.source  = "statfs(2) of each mount of /proc/mounts whose file system is on a disk or a "
		   "tmpfs; not those that lie below a network file system",
	.device  = "mount point",
	.off     = true,
	.isolate = true,
	METRICS(metrics),
};
