/* SPDX-License-Identifier: BSD-3-Clause */
/* numa - where the pages that each NUMA node was asked for came from, from its numastat */
#include "collectors/collector.h"
#include "collectors/nodes.h"

/* Pages; Documentation/admin-guide/numastat.rst. */
static const struct metric metrics[] = {
	{ "numa_hit",       COUNTER, "", "allocated on this node, as wanted"                     },
	{ "numa_miss",      COUNTER, "", "allocated on this node, though another was wanted"     },
	{ "numa_foreign",   COUNTER, "", "wanted on this node, but allocated on another"         },
	{ "interleave_hit", COUNTER, "", "allocated on this node by an interleaving policy"      },
	{ "local_node",     COUNTER, "", "allocated on this node by a process running on it"     },
	{ "other_node",     COUNTER, "", "allocated on this node by a process on another"        },
};

static int collect(struct sample *s)
{
	return nodes_collect(s, "numastat", STR(""));
}

const struct collector numa_collector = {
	.name    = "numa",
	.summary = "memory placement",
	.source  = "/sys/devices/system/node/nodeN/numastat, line KEY",
	.device  = "NUMA node",
	.collect = collect,
	METRICS(metrics),
};
