/* SPDX-License-Identifier: BSD-3-Clause */
/* meminfo - available memory of the whole node, from /proc/meminfo */
#include "collectors/collector.h"

static int meminfo_collect(struct source *s)
{
	return source_key_values(s, "proc/meminfo");
}

const struct collector meminfo_collector = {
	.type    = &meminfo_type,
	.collect = meminfo_collect,
};
