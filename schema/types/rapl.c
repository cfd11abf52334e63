/* SPDX-License-Identifier: BSD-3-Clause */
/* rapl.c - types of energy: rapl, intel_rapl, amd64_rapl */
#include "schema/type.h"

static const struct metric rapl_metrics[] = {
	{ "energy_uj",           COUNTER, "uJ", "energy, back to 0 after max_energy_range_uj" },
	{ "max_energy_range_uj", CONTROL, "uJ", "largest value of the counter; of powercap only"},
};

/*
 * Keys; .key is the name of the powercap zone that has the value. The key of the whole package
 * comes first.
 */
static const struct metric intel_metrics[] = {
	{ "pkg_energy",  COUNTER, "mJ", "energy of the whole package",             "package" },
	{ "pp0_energy",  COUNTER, "mJ", "of its cores; not on most servers",       "core"    },
	{ "pp1_energy",  COUNTER, "mJ", "of its graphics processor",               "uncore"  },
	{ "dram_energy", COUNTER, "mJ", "of the memory at it, not in pkg_energy",  "dram"    },
};

static const struct metric amd_metrics[] = {
	{ "pkg_energy",  COUNTER, "mJ", "energy of the whole package",             "package" },
	{ "core_energy", COUNTER, "mJ", "of one of its cores: all that Linux reads", "core"  },
};

#define ZONE "/sys/class/powercap/intel-rapl:*/"
#define OR_PMU ", or perf PMU power where that cannot be read"
#define SOURCE ZONE "energy_uj of the zone with the name KEY" OR_PMU
#define BY_PACKAGE "package, or package/die"

const struct type rapl_type = {
	.name    = "rapl",
	.about   = "energy by zone, as the kernel counts it",
	.source  = ZONE "KEY" OR_PMU,
	.device  = "zone and its name: intel-rapl:1:0/dram",
	METRICS(rapl_metrics),
};

const struct type intel_rapl_type = {
	.name    = "intel_rapl",
	.about   = "energy of Intel packages and their memory",
	.source  = SOURCE,
	.device  = BY_PACKAGE,
	METRICS(intel_metrics),
};

const struct type amd64_rapl_type = {
	.name    = "amd64_rapl",
	.about   = "energy of AMD packages and cores",
	.source  = SOURCE,
	.device  = BY_PACKAGE,
	METRICS(amd_metrics),
};
