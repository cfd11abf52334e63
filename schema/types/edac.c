/* SPDX-License-Identifier: BSD-3-Clause */
/* edac.c - type edac: memory errors */
#include "schema/type.h"

/*
 * Files of a memory controller (Documentation/ABI/testing/sysfs-devices-edac). Root can reset the
 * counters with mcN/reset_counters.
 */
static const struct metric metrics[] = {
	{ "ce_count",        COUNTER, "", "corrected errors"                        },
	{ "ce_noinfo_count", COUNTER, "", "corrected errors of an unknown module"   },
	{ "ue_count",        COUNTER, "", "uncorrected errors"                      },
	{ "ue_noinfo_count", COUNTER, "", "uncorrected errors of an unknown module" },
};

const struct type edac_type = {
	.name    = "edac",
	.about   = "memory errors",
	.source  = "/sys/devices/system/edac/mc/mcN/KEY",
	.device  = "memory controller: mc0",
	METRICS(metrics),
};
