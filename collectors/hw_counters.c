/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hw_counters - driver-specific counters of each RDMA port, mostly for RoCE
 *
 * Each driver names its counters differently, so the schema has the names found on this node. Each
 * additional key of a port costs only a read(2): the kernel asks the adapter for all counters of a
 * port at once, and caches them for 10 ms (lifespan).
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
