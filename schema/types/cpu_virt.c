/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_virt - what type cpu_virt is: processor time of virtual machines, and taken by others */
#include "schema/type.h"

/* The columns of /proc/stat after those of type cpu. */
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
