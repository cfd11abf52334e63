/* SPDX-License-Identifier: BSD-3-Clause */
/* numa.c - type numa: memory placement */
#include "schema/type.h"

/* All values are in pages (Documentation/admin-guide/numastat.rst). */
static const struct metric metrics[] = {
	{ "numa_hit",       COUNTER, "", "allocated on this node, as wanted"                     },
	{ "numa_miss",      COUNTER, "", "allocated on this node, though another was wanted"     },
	{ "numa_foreign",   COUNTER, "", "wanted on this node, but allocated on another"         },
	{ "interleave_hit", COUNTER, "", "allocated on this node by an interleaving policy"      },
	{ "local_node",     COUNTER, "", "allocated on this node by a process running on it"     },
	{ "other_node",     COUNTER, "", "allocated on this node by a process on another"        },
};

const struct type numa_type = {
	.name    = "numa",
	.about   = "memory placement",
	.source  = "/sys/devices/system/node/nodeN/numastat, line KEY",
	.device  = "NUMA node",
	METRICS(metrics),
};
