/* SPDX-License-Identifier: BSD-3-Clause */
/* edac - memory errors that each memory controller reported, from /sys/devices/system/edac/mc */
#include "collectors/collector.h"

#include "collectors/value_files.h"

const struct collector edac_collector = {
	.type    = &edac_type,
	.collect = value_files_collect,
	.data    = &(const struct value_files){ "sys/devices/system/edac/mc", "mc", false },
};
