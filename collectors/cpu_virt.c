/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_virt - CPU time of virtual machines, and CPU time stolen by others, from /proc/stat */
#include "collectors/collector.h"
#include "collectors/stat_cpus.h"

/*
 * number of columns of type cpu (user to softirq), which are skipped; before Linux 2.6.11, the line
 * has no others
 */
#define COLUMNS_OF_CPU 7

static int cpu_virt_collect(struct source *s)
{
	return stat_cpus(s, COLUMNS_OF_CPU, "/proc/stat has no such columns");
}

const struct collector cpu_virt_collector = {
	.type    = &cpu_virt_type,
	.collect = cpu_virt_collect,
};
