/* SPDX-License-Identifier: BSD-3-Clause */
/* edac - memory errors that each memory controller reported, from /sys/devices/system/edac/mc */
#include "collectors/collector.h"

#include "collectors/value_files.h"

/* Documentation/ABI/testing/sysfs-devices-edac; root can set them back: mcN/reset_counters. */
static const struct metric metrics[] = {
	{ "ce_count",        COUNTER, "", "corrected errors"                        },
	{ "ce_noinfo_count", COUNTER, "", "corrected errors of an unknown module"   },
	{ "ue_count",        COUNTER, "", "uncorrected errors"                      },
	{ "ue_noinfo_count", COUNTER, "", "uncorrected errors of an unknown module" },
};

const struct collector edac_collector = {
	.name    = "edac",
	.summary = "memory errors",
	.source  = "/sys/devices/system/edac/mc/mcN/KEY",
	.device  = "memory controller: mc0",
	.collect = value_files_collect,
	.data    = &(const struct value_files){ "sys/devices/system/edac/mc", "mc", false },
	METRICS(metrics),
};
