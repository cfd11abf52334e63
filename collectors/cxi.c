/* SPDX-License-Identifier: BSD-3-Clause */
/* cxi - traffic and link quality of each Slingshot (Cassini) adapter, from its telemetry */
#include "collectors/collector.h"

#include "collectors/value_files.h"

const struct collector cxi_collector = {
	.type    = &cxi_type,
	.collect = value_files_collect,
	.data    = &(const struct value_files){ "sys/class/cxi", "cxi", false },
	.needs   = PRIVILEGE_SEARCH,
};
