/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer - what the agent itself cost, per type and as a whole */
#include "collectors/collector.h"
#include "schema/cost.h"

static int collect(struct sample *s)
{
	struct cost all = s->agent;

	for (size_t i = 0; i < s->n_costs; i++) {
		const struct cost *c = &s->cost[i];
		all.bytes += c->bytes;
		all.rows += c->rows;
		all.errors += c->errors;
		if (c->type)
			sample_cost_row(s, c->type, c);
	}
	all.rows += s->n_rows + 1;
	sample_cost_row(s, "-", &all);
	return 0;
}

const struct collector nodometer_collector = {
	.name    = "nodometer",
	.summary = "own cost of the agent",
	.source  = "the agent itself",
	.device  = "type, or - for the agent as a whole",
	.collect = collect,
	METRICS(cost_metrics),
};
