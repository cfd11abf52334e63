/* SPDX-License-Identifier: BSD-3-Clause */
/* numa - origin of the pages allocated for each NUMA node, from its numastat */
#include "collectors/collector.h"
#include "collectors/nodes.h"

static int numa_collect(struct source *s)
{
	return nodes_collect(s, "numastat", STR(""));
}

const struct collector numa_collector = {
	.type    = &numa_type,
	.collect = numa_collect,
};
