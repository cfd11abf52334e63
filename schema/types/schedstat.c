/* SPDX-License-Identifier: BSD-3-Clause */
/* schedstat.c - type schedstat: time in which threads ran and waited on each CPU */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "running",    COUNTER, "ns", "time in which threads ran"                  },
	{ "waiting",    COUNTER, "ns", "time in which threads waited for this CPU"  },
	{ "timeslices", COUNTER, "",   "times a thread was put on this CPU"         },
};

const struct type schedstat_type = {
	.name    = "schedstat",
	.about   = "time in which threads ran and waited on each CPU",
	.source  = "/proc/schedstat, line cpuN, the last three columns",
	.device  = "logical CPU",
	.off     = true,
	METRICS(metrics),
};
