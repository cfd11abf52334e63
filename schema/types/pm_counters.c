/* SPDX-License-Identifier: BSD-3-Clause */
/* pm_counters.c - types pm_counters and pm_accel: energy of HPE Cray EX nodes */
#include "schema/type.h"

static const struct metric node_metrics[] = {
	{ "energy",        COUNTER, "J", "energy of the whole node"                       },
	{ "power",         GAUGE,   "W", "power of the whole node"                        },
	{ "cpu_energy",    COUNTER, "J", "energy of all processors"                       },
	{ "cpu_power",     GAUGE,   "W", "power of all processors"                        },
	{ "memory_energy", COUNTER, "J", "energy of all memory"                           },
	{ "memory_power",  GAUGE,   "W", "power of all memory"                            },
	{ "power_cap",     GAUGE,   "W", "power cap of the node; 0: none"              },
	{ "generation",    GAUGE,   "",  "times that the cap was changed"                 },
	{ "freshness",     GAUGE,   "",  "times that the controller wrote the values"     },
};

static const struct metric accel_metrics[] = {
	{ "energy", COUNTER, "J", "energy of the accelerator's module" },
	{ "power",  GAUGE,   "W", "power of the accelerator's module"  },
};

const struct type pm_counters_type = {
	.name    = "pm_counters",
	.about   = "energy of the whole node, HPE Cray EX and XC",
	.source  = "/sys/cray/pm_counters/KEY",
	.device  = "the whole node",
	METRICS(node_metrics),
};

const struct type pm_accel_type = {
	.name    = "pm_accel",
	.about   = "energy of accelerators, HPE Cray EX and XC",
	.source  = "/sys/cray/pm_counters/accelN_KEY",
	.device  = "accelerator, as the node's controller numbers it: 0",
	METRICS(accel_metrics),
};
