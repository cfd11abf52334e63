/* SPDX-License-Identifier: BSD-3-Clause */
/* collectors.c - the collectors of hardware counters */
#include "collectors/pmu/pmu.h"

#define TYPE(name_) \
	const struct collector name_##_collector = { \
		.type    = &name_##_type, \
		.collect = pmu_collect, \
		.planned = pmu_planned, \
		.holds   = HOLDS_HARDWARE, \
		.data    = &name_##_type, \
	};
#include "schema/types/pmu.inc"
#undef TYPE

const struct collector perf_sw_collector = {
	.type    = &perf_sw_type,
	.collect = pmu_collect,
	.planned = pmu_planned,
	.holds   = HOLDS_COUNTERS,
	.data    = &perf_sw_type,
};
