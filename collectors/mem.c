/* SPDX-License-Identifier: BSD-3-Clause */
/* mem - what the memory of each NUMA node is used for, from the node's meminfo */
#include "collectors/collector.h"
#include "collectors/nodes.h"

static int collect(struct source *s)
{
	return nodes_collect(s, "meminfo", STR("Node "));
}

const struct collector mem_collector = {
	.type    = &mem_type,
	.collect = collect,
};
