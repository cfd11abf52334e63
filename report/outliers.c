/* SPDX-License-Identifier: BSD-3-Clause */
/* outliers.c - choose the nodes of a large job that a report shows individually */
#include "report/outliers.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "figures/parts.h"

struct node_load {
	size_t node;
	/* user and system time in percent of the allocated CPU time; negative if unknown */
	double percent;
};

static int outliers_compare_loads(const void *a, const void *b)
{
	const struct node_load *x = a, *y = b;
	if (x->percent != y->percent)
		return x->percent < y->percent ? -1 : 1;
	return x->node < y->node ? -1 : 1;
}

static int outliers_compare_nodes(const void *a, const void *b)
{
	const size_t *x = a, *y = b;
	return *x < *y ? -1 : 1;
}

static struct node_load *outliers_sort_loads(const struct report *r)
{
	struct node_load *load = xrealloc(NULL, r->n * sizeof(*load));

	for (size_t i = 0; i < r->n; i++) {
		struct parts p = parts_of_node(r, i);
		double used = part_percent(&p, PART_USER) + part_percent(&p, PART_KERNEL);
		load[i] = (struct node_load){ i, p.part[PART_UNKNOWN] < p.of ? used : -1 };
	}
	qsort(load, r->n, sizeof(*load), outliers_compare_loads);
	return load;
}

struct outliers outliers_of(const struct report *r)
{
	struct outliers o = { .n = r->n };

	if (r->n <= OUTLIERS_MAX) {
		for (size_t i = 0; i < r->n; i++)
			o.node[i] = i;
		return o;
	}
	struct node_load *load = outliers_sort_loads(r);
	size_t unknown = 0, high = r->n - 1;
	while (unknown < r->n && load[unknown].percent < 0)
		unknown++;
	size_t low = unknown;
	double median = low <= high ? load[low + (high - low) / 2].percent : 0;
	for (o.n = 0; o.n < OUTLIERS_MAX; o.n++)
		if (low > high)
			o.node[o.n] = load[--unknown].node;
		else if (median - load[low].percent >= load[high].percent - median)
			o.node[o.n] = load[low++].node;
		else
			o.node[o.n] = load[high--].node;
	o.more = r->n - o.n;
	o.known = low <= high;
	if (o.known) {
		o.low = load[low].percent;
		o.high = load[high].percent;
	}
	free(load);
	qsort(o.node, o.n, sizeof(*o.node), outliers_compare_nodes);
	return o;
}
