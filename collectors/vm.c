/* SPDX-License-Identifier: BSD-3-Clause */
/* vm - paging and reclaim activity of the whole node, from /proc/vmstat */
#include "collectors/collector.h"

static int vm_collect(struct source *s)
{
	return source_key_values(s, "proc/vmstat");
}

const struct collector vm_collector = {
	.type    = &vm_type,
	.collect = vm_collect,
};
