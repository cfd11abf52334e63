/* SPDX-License-Identifier: BSD-3-Clause */
/* tmpfs.c - type tmpfs: file systems in memory */
#include "schema/type.h"
#include "schema/types/tmpfs.h"

static const struct metric metrics[] = {
	{ "bytes_used", GAUGE, "B", "memory or swap that its files take" },
	{ "files_used", GAUGE, "",  "inodes in use"                      },
};

const struct type tmpfs_type = {
	.name    = "tmpfs",
	.about   = "file systems in memory",
	.source  = "statfs(2) of each tmpfs of /proc/mounts, less what is free",
	.device  = "mount point",
	METRICS(metrics),
};
