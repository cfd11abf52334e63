/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer - what the agent itself cost, per type and as a whole */
#include "collectors/collector.h"

/*
 * Gauges, all of them "in this sample", so that samples of an agent and of single runs from cron
 * add up alike. The row of the agent as a whole, device "-", is the last of its record group: its
 * .rows tells a reader whether the group is whole.
 */
static const struct metric metrics[] = {
	{ "cpu",    GAUGE, "ns", "CPU time, workers' too; of the agent: since the sample before" },
	{ "bytes",  GAUGE, "B",  "read from the type's sources"                                 },
	{ "rows",   GAUGE, "",   "rows of the type in this group; of the agent: all rows of it" },
	{ "errors", GAUGE, "",   "1 if the type could not be read; of the agent: how many"      },
	{ "stalls", GAUGE, "",   "1 if the type was too slow; of the agent: ticks missed"       },
};

static void cost_row(struct sample *s, const char *device, const struct cost *c)
{
	struct row row = sample_row(s, str_of(device));
	row_set(row, 0, c->cpu_ns);
	row_set(row, 1, c->bytes);
	row_set(row, 2, c->rows);
	row_set(row, 3, c->errors);
	row_set(row, 4, c->stalls);
}

static int collect(struct sample *s)
{
	struct cost all = s->agent;

	for (size_t i = 0; i < s->n_costs; i++) {
		const struct cost *c = &s->cost[i];
		all.bytes += c->bytes;
		all.rows += c->rows;
		all.errors += c->errors;
		if (c->type)
			cost_row(s, c->type, c);
	}
	all.rows += s->n_rows + 1;
	cost_row(s, "-", &all);
	return 0;
}

const struct collector nodometer_collector = {
	.name    = "nodometer",
	.summary = "own cost of the agent",
	.source  = "the agent itself",
	.device  = "type, or - for the agent as a whole",
	.collect = collect,
	METRICS(metrics),
};
