/* SPDX-License-Identifier: BSD-3-Clause */
/* net_link - state and settings of network interfaces, from /sys/class/net */
#include "collectors/collector.h"
#include "collectors/value_files.h"

const struct collector net_link_collector = {
	.type    = &net_link_type,
	.collect = value_files_collect,
	.data    = &(const struct value_files){ .dir = "sys/class/net", .prefix = "",
						.any_name = true },
};
