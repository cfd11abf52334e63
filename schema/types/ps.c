/* SPDX-License-Identifier: BSD-3-Clause */
/* ps.c - type ps: processes and load */
#include "schema/type.h"
#include "schema/types/ps.h"

static const struct metric metrics[] = {
	[CTXT]       = { "ctxt",       COUNTER, "", "context switches"                          },
	[PROCESSES]  = { "processes",  COUNTER, "", "processes and threads made since boot"     },
	[LOAD_1]     = { "load_1",     GAUGE,   "", "load average of 1 minute, times 100"       },
	[LOAD_5]     = { "load_5",     GAUGE,   "", "load average of 5 minutes, times 100"      },
	[LOAD_15]    = { "load_15",    GAUGE,   "", "load average of 15 minutes, times 100"     },
	[NR_RUNNING] = { "nr_running", GAUGE,   "", "threads that run or wait for a CPU"        },
	[NR_THREADS] = { "nr_threads", GAUGE,   "", "threads"                                   },
};

const struct type ps_type = {
	.name    = "ps",
	.about   = "processes and load",
	.source  = "/proc/stat, lines ctxt and processes; /proc/loadavg, in this order",
	.device  = "the whole node",
	METRICS(metrics),
};
