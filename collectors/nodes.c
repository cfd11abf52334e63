/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c - types that are one "key value" file per NUMA node */
#include "collectors/nodes.h"

#include <string.h>

#define NODES "sys/devices/system/node"

static void collect_node(struct source *s, const char *name, const char *file, struct str label)
{
	struct str text, number = str_skip(str_of(name), strlen("node"));
	if (!str_is_u64(number) || source_read_in(s, NODES, name, file, &text) < 0)
		return;		/* not a node, or one that has gone: the others are still there */

	size_t skip = label.n ? label.n + number.n + 1 : 0;
	if (row_key_values(s, rows_add(&s->rows, number), skip, text) == 0)
		rows_drop(&s->rows);
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
