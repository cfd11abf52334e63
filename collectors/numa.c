/* SPDX-License-Identifier: BSD-3-Clause */
/* numa - where the pages that each NUMA node was asked for came from, from its numastat */
#include "collectors/collector.h"
#include "collectors/nodes.h"

static int collect(struct source *s)
{
	return nodes_collect(s, "numastat", STR(""));
}

const struct collector numa_collector = {
	.type    = &numa_type,
	.collect = collect,
};
