/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ib - traffic and errors of each active port of the RDMA adapters, from /sys/class/infiniband
 *
 * Each read of a file makes the kernel ask the adapter for a performance MAD (get_perf_mad() in
 * drivers/infiniband/core/sysfs.c), so that the cost is ports times counters. Omni-Path's ports are
 * in type opa: their data is not in words of 4 bytes.
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
