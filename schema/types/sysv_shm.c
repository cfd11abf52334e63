/* SPDX-License-Identifier: BSD-3-Clause */
/* sysv_shm.c - type sysv_shm: System V shared memory */
#include "schema/type.h"
#include "schema/types/sysv_shm.h"

static const struct metric metrics[] = {
	[MEM_USED]  = { "mem_used",  GAUGE, "B", "size of all segments, whether touched or not" },
	[SEGS_USED] = { "segs_used", GAUGE, "",  "segments"                                     },
};

const struct type sysv_shm_type = {
	.name    = "sysv_shm",
	.about   = "System V shared memory",
	.source  = "/proc/sysvipc/shm: the sum of column size, the number of lines",
	.device  = "the whole node",
	METRICS(metrics),
};
