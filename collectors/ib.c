/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ib - traffic and errors of each active port of the RDMA adapters, from /sys/class/infiniband
 *
 * For each read of a file, the kernel sends a request to the adapter (get_perf_mad() in
 * drivers/infiniband/core/sysfs.c), so a sample costs as many requests as ports times counters.
 * Ports of Omni-Path are in type opa, because they do not count in words of 4 bytes.
 */
#include "collectors/collector.h"

#include "collectors/ib_ports.h"

static const struct port_type type = {
	NOT_OMNI_PATH, '.', true, { { "counters", NULL, NULL } },
};

const struct collector ib_collector = {
	.type    = &ib_type,
	.collect = ib_ports_collect,
	.data    = &type,
};
