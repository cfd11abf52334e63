/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_virt.c - type cpu_virt: CPU time of virtual machines, and stolen time */
#include "schema/type.h"

/* Columns of /proc/stat that follow the columns of type cpu. */
static const struct metric metrics[] = {
	{ "steal",      COUNTER, "cs", "this machine is a guest: others had the processor" },
	{ "guest",      COUNTER, "cs", "of user, virtual processors ran"                   },
	{ "guest_nice", COUNTER, "cs", "of nice, virtual processors ran"                   },
};

const struct type cpu_virt_type = {
	.name    = "cpu_virt",
	.about   = "processor time of virtual machines",
	.source  = "/proc/stat, line cpuN, in this order after those of type cpu",
	.device  = "logical CPU",
	.off     = true,
	METRICS(metrics),
};
