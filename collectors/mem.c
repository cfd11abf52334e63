/* SPDX-License-Identifier: BSD-3-Clause */
/* mem - memory use of each NUMA node, from the node's meminfo */
#include "collectors/collector.h"
#include "collectors/nodes.h"

static int mem_collect(struct source *s)
{
	return nodes_collect(s, "meminfo", STR("Node "));
}

const struct collector mem_collector = {
	.type    = &mem_type,
	.collect = mem_collect,
};
