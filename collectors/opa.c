/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * opa - traffic and errors of each active Omni-Path port, as far as /sys/class/infiniband has them
 *
 * hpcperfstats asks the port itself (OPA DataPortCounters) and has what congestion does, too. The
 * files have four of its keys; its others are missing here, as are those files that the driver
 * fills with 0 whatever happened: symbol_error, VL15_dropped, port_xmit_wait, port_rcv_errors ...
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
