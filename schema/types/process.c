/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - type process: every process, with its state and used resources */
#include "schema/type.h"
#include "schema/types/process.h"

static const struct metric metrics[] = {
	[PROCESS_STATE]    = { "state",    GAUGE, "", "its letter's code: R 82, S 83, D 68, Z 90" },
	[PROCESS_KERNEL]   = { "kernel",   GAUGE, "", "1: a thread of the kernel's"              },
	[PROCESS_SWAPPED]  = { "swapped",  GAUGE, "", "1: nothing resident, but some in swap"    },
	[PROCESS_PRIORITY] = { "priority", GAUGE, "", "20 + nice; 40 + its priority if real-time" },
	[PROCESS_UID]      = { "uid",      GAUGE, "", "effective user"                           },
	[PROCESS_GID]      = { "gid",      GAUGE, "", "effective group"                          },
	[PROCESS_RSS]      = { "rss",      GAUGE, "", "resident pages"                           },
	[PROCESS_SHARED]   = { "shared",   GAUGE, "", "of these, of files or shared"             },
	[PROCESS_FAULTS]   = { "faults",   COUNTER, "", "page faults, minor and major"           },
	[PROCESS_CPU]      = { "cpu",      COUNTER, "cs", "processor time, user and system"      },
};
_Static_assert(ARRAY_SIZE(metrics) == PROCESS_KEYS, "as the collector has it");

const struct type process_type = {
	.name    = "process",
	.about   = "every process, with its state and what it used",
	.source  = "/proc/PID/stat and statm",
	.device  = "pid/name",
	.off     = true,
	METRICS(metrics),
};
