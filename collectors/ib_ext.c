/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ib_ext - traffic of each active InfiniBand port with 64-bit counters
 *
 * The keys are those of hpcperfstats, except port_select and counter_select, which are fields of
 * the kernel's request to the port. The kernel does not show these fields.
 */
#include "collectors/collector.h"

#include "collectors/ib_ports.h"
#include "schema/types/ib_ext.h"

static const struct port_type type = {
	NOT_OMNI_PATH, '/', false, {
		{ IB_EXT_OLD, "port_xmit_data_64", ib_ext_old },
		{ IB_EXT_NEW, "unicast_xmit_packets", ib_ext_new },
	},
};

const struct collector ib_ext_collector = {
	.type    = &ib_ext_type,
	.collect = ib_ports_collect,
	.data    = &type,
};
