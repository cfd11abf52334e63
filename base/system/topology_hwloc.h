/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_hwloc.h - what hwloc is asked, in a process of its own */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/system/topology_cpu.h"

/* Memory that the process shares with the one that asks. */
struct topology_answer {
	bool done;		/* written last */
	size_t n;		/* 0: .why has the reason */
	char why[TOPOLOGY_WHY];
	struct topology_cpu cpu[TOPOLOGY_CPUS_MAX];
};

/* The working directory is the root. Loads libhwloc and leaves the environment changed. */
void topology_ask_hwloc(struct topology_answer *a);
