/* SPDX-License-Identifier: BSD-3-Clause */
/* thermal_throttle.c - type thermal_throttle: CPUs that are slowed down because of heat */
#include "schema/type.h"

#define FILES "thermal_throttle/"
static const struct metric metrics[] = {
	{ "core",    COUNTER, "", "times its core got too hot", FILES "core_throttle_count"    },
	{ "package", COUNTER, "", "times its package did",      FILES "package_throttle_count" },
};

const struct type thermal_throttle_type = {
	.name    = "thermal_throttle",
	.about   = "CPUs slowed down by heat",
	.source  = "/sys/devices/system/cpu/cpuN/KEY",
	.device  = "logical CPU",
	.off     = true,
	METRICS(metrics),
};
