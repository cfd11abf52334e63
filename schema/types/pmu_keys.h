/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu_keys.h - keys shared by the types of hardware counters, as hpcperfstats spells them */
#pragma once

#include "schema/type.h"

#define CTL(i)             { "CTL" #i, CONTROL, "", "control register of CTR" #i ": which event" }
#define CTR(i, unit, bits) { "CTR" #i, COUNTER, unit, "events that CTL" #i " names", NULL, bits }
#define FIXED(name, bits, help) { name, COUNTER, "", help, NULL, bits }
#define CORE_FIXED(bits) \
	FIXED("FIXED_CTR0", bits, "instructions retired"), \
	FIXED("FIXED_CTR1", bits, "core cycles not halted"), \
	FIXED("FIXED_CTR2", bits, "reference cycles not halted")

/*
 * Times of a device's counters, which may take turns in a hardware register (multiplexing). They
 * count only during time_running; multiply a count by time_enabled / time_running to estimate the
 * total.
 */
#define TIMES \
	{ "time_enabled", COUNTER, "ns", "time since these counters were opened" }, \
	{ "time_running", COUNTER, "ns", "time of it in which they counted" }

#define PER_CPU "logical CPU"
#define CORE_SOURCE "perf_event_open(2), PMU cpu"
