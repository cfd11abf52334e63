/* SPDX-License-Identifier: BSD-3-Clause */
/* jbd2.c - type jbd2: journals of ext4 file systems */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "transactions", COUNTER, "", "transactions written to the journal" },
	{ "requested",    COUNTER, "", "of them asked for, by fsync(2) say"  },
};

const struct type jbd2_type = {
	.name    = "jbd2",
	.about   = "journals of ext4 and OCFS2 file systems",
	.source  = "/proc/fs/jbd2/DEV/info, its first line",
	.device  = "the disk, and the journal's inode",
	.off     = true,
	METRICS(metrics),
};
