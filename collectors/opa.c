/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * opa - traffic and errors of each active Omni-Path port, from /sys/class/infiniband
 *
 * The kernel has files for four of the keys of hpcperfstats, which queries the port itself (OPA
 * DataPortCounters). The other keys of hpcperfstats are missing in this type. Files that the driver
 * always fills with 0 are not read: symbol_error, VL15_dropped, port_xmit_wait, port_rcv_errors ...
 * (pma_get_ib_portcounters() in drivers/infiniband/hw/hfi1/mad.c).
 */
#include "collectors/collector.h"

#include "collectors/ib_ports.h"

static const struct port_type type = {
	OMNI_PATH, '/', false, { { "counters", NULL, NULL } },
};

const struct collector opa_collector = {
	.type    = &opa_type,
	.collect = ib_ports_collect,
	.data    = &type,
};
