/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu - time each logical CPU spent in each mode, from /proc/stat */
#include "collectors/collector.h"
#include "collectors/stat_cpus.h"

static int cpu_collect(struct source *s)
{
	return stat_cpus(s, 0, "/proc/stat has no line of a CPU");
}

const struct collector cpu_collector = {
	.type    = &cpu_type,
	.collect = cpu_collect,
};
