/* SPDX-License-Identifier: BSD-3-Clause */
/* mic.c - type mic: Xeon Phi coprocessors, seen from the host */
#include "schema/type.h"
#include "schema/types/mic.h"

static const struct metric metrics[] = {
	[NUM_CORES]     = { "num_cores",     CONTROL, "",   "cores that are in use"          },
	[THREADS_CORE]  = { "threads_core",  CONTROL, "",   "hardware threads of each"       },
	[USER_SUM]      = { "user_sum",      COUNTER, "cs", "time in programs, all threads"  },
	[NICE_SUM]      = { "nice_sum",      COUNTER, "cs", "in programs that are niced"     },
	[SYS_SUM]       = { "sys_sum",       COUNTER, "cs", "in the coprocessor's kernel"    },
	[IDLE_SUM]      = { "idle_sum",      COUNTER, "cs", "idle"                           },
	[JIFFY_COUNTER] = { "jiffy_counter", COUNTER, "cs", "time since it was booted"       },
	[MEMSIZE]       = { "memsize",       CONTROL, "KB", "memory of the coprocessor"      },
	[BOOT_COUNT]    = { "boot_count",    COUNTER, "",   "times it was booted"            },
	[CRASH_COUNT]   = { "crash_count",   COUNTER, "",   "times it crashed"               },
};

const struct mic_file mic_files[MIC_FILES] = {
	{ NUM_CORES,   "active_cores", true  },
	{ MEMSIZE,     "memsize",      true  },
	{ BOOT_COUNT,  "boot_count",   false },
	{ CRASH_COUNT, "crash_count",  false },
};

static void mic_put_source(const struct type *t, size_t key, struct buf *to)
{
	size_t i = 0;
	while (i < MIC_FILES && mic_files[i].key != key)
		i++;
	if (i < MIC_FILES)
		buf_add(to, str_of(mic_files[i].file));
	else
		buf_addf(to, "mic_get_%s()", t->metrics[key].name);
}

const struct type mic_type = {
	.name    = "mic",
	.about   = "Xeon Phi coprocessors, seen from the host",
	.source  = "/sys/class/mic/micN/KEY, or KEY of libmicmgmt.so.0",
	.device  = "coprocessor: 0",
	.isolate = true,
	.where   = mic_put_source,
	METRICS(metrics),
};
