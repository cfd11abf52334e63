/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c - collect "key value" files of NUMA nodes */
#include "collectors/nodes.h"

#include <string.h>

#define NODES "sys/devices/system/node"

/*
 * Replace negative gauges by 0. The kernel's MemUsed, for example, is a difference of changing
 * counters, and the kernel prints -4 kB as 2^64 - 4. The kernel itself treats such counters as 0
 * (include/linux/vmstat.h).
 */
static void nodes_lift_to_0(const struct rows *r, struct row row)
{
	uint64_t all = 0;
	for (size_t i = 0; i < r->n_metrics; i++)
		all |= row.value[i];
	if (all <= INT64_MAX)
		return;
	for (size_t i = 0; i < r->n_metrics; i++)
		if (row.value[i] > INT64_MAX && row_is_set(row, i) && r->metrics[i].kind == GAUGE)
			row.value[i] = 0;
}

static void collect_node(struct source *s, const char *name, const char *file, struct str label)
{
	struct str text, number = str_skip(str_of(name), strlen("node"));
	if (!str_is_u64(number) || source_read_in(s, NODES, name, file, &text) < 0)
		return;		/* not a node, or the node has gone */

	size_t skip = label.n ? label.n + number.n + 1 : 0;
	struct row row = rows_add(&s->rows, number);
	if (row_key_values(s, row, skip, text) == 0)
		rows_drop(&s->rows);
	else
		nodes_lift_to_0(&s->rows, row);
}

int nodes_collect(struct source *s, const char *file, struct str label)
{
	int n = source_devices(s, NODES, "node");
	if (n < 0)
		return n;

	for (int i = 0; i < n; i++)
		collect_node(s, source_device_name(s, (size_t)i), file, label);
	return s->rows.n ? 0 : source_absent(s, "no /" NODES "/nodeN/%s to read", file);
}
