/* SPDX-License-Identifier: BSD-3-Clause */
/* meminfo_more - limits, mappings and settings of the node's memory, from /proc/meminfo */
#include "collectors/collector.h"

static int meminfo_more_collect(struct source *s)
{
	return source_key_values(s, "proc/meminfo");
}

const struct collector meminfo_more_collector = {
	.type    = &meminfo_more_type,
	.collect = meminfo_more_collect,
};
