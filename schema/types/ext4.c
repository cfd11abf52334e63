/* SPDX-License-Identifier: BSD-3-Clause */
/* ext4.c - type ext4: caches of ext4 file systems */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "extents",   GAUGE,   "", "extents whose place is cached"        },
	{ "es_hits",   COUNTER, "", "extents that were found in the cache" },
	{ "es_misses", COUNTER, "", "extents that were not"                },
};

const struct type ext4_type = {
	.name    = "ext4",
	.about   = "caches of ext4 file systems",
	.source  = "/proc/fs/ext4/DEV/es_shrinker_info, lines objects and cache hits/misses",
	.device  = "the disk",
	.off     = true,
	METRICS(metrics),
};
