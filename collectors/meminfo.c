/* SPDX-License-Identifier: BSD-3-Clause */
/* meminfo - memory that programs can still get on the whole node, from /proc/meminfo */
#include "collectors/collector.h"

static int collect(struct source *s)
{
	return source_key_values(s, "proc/meminfo");
}

const struct collector meminfo_collector = {
	.type    = &meminfo_type,
	.collect = collect,
};
