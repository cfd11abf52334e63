/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu_amd.c - hardware counters of AMD processors */
#include "schema/types/pmu_keys.h"

static const struct metric pmc[] = {
	CTL(0), CTL(1), CTL(2), CTL(3), CTL(4), CTL(5),
	CTR(0, "", 48), CTR(1, "", 48), CTR(2, "", 48), CTR(3, "", 48),
	CTR(4, "", 48), CTR(5, "", 48),
	FIXED("INST_RETIRED", 48, "instructions retired, from family 17h on"),
	FIXED("APERF", 48, "core cycles not halted, from family 17h on"),
	FIXED("MPERF", 48, "reference cycles not halted, from family 17h on"),
	TIMES,
};

static const struct metric df[] = {
	CTL(0), CTL(1), CTL(2), CTL(3),
	CTR(0, "", 48), CTR(1, "", 48), CTR(2, "", 48), CTR(3, "", 48),
	TIMES,
};

static const struct metric nb[] = {
	{ "dram_accesses", COUNTER, "", "accesses of 64 bytes to DRAM", NULL, 48 },
	TIMES,
};

const struct type amd64_pmc_type = {
	.name     = "amd64_pmc",
	.about    = "core counters of AMD's processors",
	.source   = CORE_SOURCE ", and PMU msr",
	.device   = PER_CPU,
	.counters = &(const struct type_counters){ .ctl = 0, .ctr = 6, .fixed = 12 },
	METRICS(pmc),
};

const struct type amd64_df_type = {
	.name     = "amd64_df",
	.about    = "memory traffic of AMD's processors from family 17h on",
	.source   = "perf_event_open(2), PMU amd_df",
	.device   = "the CPU that reads a package; on Zen 4 .r4 and .w0, say, after it: reads of "
		    "channels 4 to 7 and writes of channels 0 to 3",
	.counters = &(const struct type_counters){ .ctl = 0, .ctr = 4, .fixed = TYPE_NO_KEY },
	METRICS(df),
};

const struct type amd64_nb_type = {
	.name     = "amd64_nb",
	.about    = "memory traffic of AMD's family 15h",
	.source   = "perf_event_open(2), PMU amd_nb",
	.device   = "the CPU that reads a node",
	.counters = &(const struct type_counters){ TYPE_NO_KEY, 0, TYPE_NO_KEY },
	METRICS(nb),
};
