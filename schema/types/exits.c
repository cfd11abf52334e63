/* SPDX-License-Identifier: BSD-3-Clause */
/* exits - what type exits is: processes that ended, by the name of their program */
#include "schema/type.h"
#include "schema/types/exits.h"

static const struct metric metrics[] = {
	{ "ended",   COUNTER, "",   "processes that ended since the agent started" },
	{ "cpu",     COUNTER, "us", "CPU time of them, with all threads"           },
	{ "mem_max", GAUGE,   "kB", "largest resident memory of one of them"       },
};
_Static_assert(ARRAY_SIZE(metrics) == EXITS_KEYS, "as the collector has it");

const struct type exits_type = {
	.name    = "exits",
	.about   = "processes that ended, also between samples",
	.source  = "a BPF program at sched_process_free",
	.device  = "the program's name, cut to 15 bytes; - for all once there are 256 names",
	.off     = true,
	METRICS(metrics),
};
