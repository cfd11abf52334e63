/* SPDX-License-Identifier: BSD-3-Clause */
/* psi.c - type psi: time lost by waiting for CPU, memory and I/O */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "total", COUNTER, "us", "time in which some (at least one) or all tasks waited" },
};

const struct type psi_type = {
	.name    = "psi",
	.about   = "time lost waiting for CPU, memory and I/O",
	.source  = "/proc/pressure/RESOURCE: total= of a line",
	.device  = "resource and line of its file: cpu-some, memory-full and so on",
	METRICS(metrics),
};
