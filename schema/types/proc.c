/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.c - type proc: memory of users' processes */
#include "schema/type.h"
#include "schema/types/proc.h"

/* Keys in the order of /proc/PID/status (fs/proc/array.c, fs/proc/task_mmu.c). */
static const struct metric metrics[] = {
	{ "Uid",     GAUGE, "",   "real user"                                 },
	{ "VmPeak",  GAUGE, "kB", "largest address space so far"              },
	{ "VmSize",  GAUGE, "kB", "address space"                             },
	{ "VmLck",   GAUGE, "kB", "locked in memory"                          },
	{ "VmHWM",   GAUGE, "kB", "largest resident memory so far"            },
	{ "VmRSS",   GAUGE, "kB", "resident memory"                           },
	{ "VmData",  GAUGE, "kB", "private address space but the stack: heap" },
	{ "VmStk",   GAUGE, "kB", "main thread's stack"                       },
	{ "VmExe",   GAUGE, "kB", "the program's code"                        },
	{ "VmLib",   GAUGE, "kB", "code of libraries"                         },
	{ "VmPTE",   GAUGE, "kB", "page tables"                               },
	{ "VmSwap",  GAUGE, "kB", "private memory swapped out; since 2.6.34"  },
	{ "Threads", GAUGE, "",   "threads"                                   },
};
_Static_assert(ARRAY_SIZE(metrics) == PROC_KEYS, "as the collector has it");

const struct type proc_type = {
	.name    = "proc",
	.about   = "memory of users' processes",
	.source  = "/proc/PID/status, line KEY",
	.device  = "name/pid/CPUs it may use/NUMA nodes it may use",
	METRICS(metrics),
};
