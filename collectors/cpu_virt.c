/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_virt - processor time of virtual machines, and taken by others, from /proc/stat */
#include "collectors/collector.h"
#include "collectors/stat_cpus.h"

#define COLUMNS_OF_CPU 7	/* user to softirq, of type cpu: all until Linux 2.6.11 */

static int collect(struct source *s)
{
	return stat_cpus(s, COLUMNS_OF_CPU, "/proc/stat has no such columns");
}

const struct collector cpu_virt_collector = {
	.type    = &cpu_virt_type,
	.collect = collect,
};
