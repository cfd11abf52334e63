/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hw_counters - what the driver of each RDMA port counts beyond InfiniBand's counters: RoCE mostly
 *
 * Each driver has names of its own, and a schema has those that the node's ports have. The kernel
 * asks the adapter once for all of a port (lifespan: 10 ms), so that a key costs one read.
 */
#include "collectors/collector.h"

#include "collectors/ib_ports.h"

static const struct port_type type = {
	ANY_ADAPTER, '/', false, { { "hw_counters", NULL, NULL } },
};

const struct collector hw_counters_collector = {
	.type    = &hw_counters_type,
	.collect = ib_ports_collect,
	.data    = &type,
};
