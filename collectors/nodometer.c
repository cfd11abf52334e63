/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer - cost of the agent itself, per type and in total, as measured by the sampler */
#include "collectors/collector.h"
#include "schema/cost.h"

static int nodometer_collect(struct source *s)
{
	const struct costs *costs = source_state(s, sizeof(*costs));
	struct cost all = costs->agent;

	for (size_t i = 0; i < costs->n; i++) {
		struct cost c = costs->type[i];
		c.boot_us = all.boot_us;
		all.bytes += c.bytes;
		all.rows += c.rows;
		all.errors += c.errors;
		if (c.type.n)
			rows_add_cost(&s->rows, c.type, &c);
	}
	all.rows += s->rows.n + 1;
	rows_add_cost(&s->rows, STR("-"), &all);
	return 0;
}

const struct collector nodometer_collector = {
	.type    = &nodometer_type,
	.collect = nodometer_collect,
};
