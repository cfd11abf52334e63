/* SPDX-License-Identifier: BSD-3-Clause */
/* ipmi_dcmi.c - type ipmi_dcmi: power of the whole node, measured by its BMC */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "power",      GAUGE, "W",  "power of the whole node now"       },
	{ "power_min",  GAUGE, "W",  "least power in the last period"    },
	{ "power_max",  GAUGE, "W",  "most power in the last period"     },
	{ "power_mean", GAUGE, "W",  "mean power in the last period"     },
	{ "period",     GAUGE, "ms", "length of the period, by the BMC" },
};

const struct type ipmi_dcmi_type = {
	.name    = "ipmi_dcmi",
	.about   = "power of the whole node, by its management controller (BMC)",
	.source  = "/dev/ipmi0, DCMI's Get Power Reading",
	.device  = "the whole node",
	.off     = true,
	.isolate = true,
	METRICS(metrics),
};
