/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.c - rows of type nodometer: the cost of writing a record, and its number of rows */
#include "schema/cost.h"

#include <string.h>

const struct metric cost_metrics[COST_METRICS] = {
	{ "cpu",    GAUGE, "ns", "CPU time, workers' too; of the agent: since the sample before" },
	{ "bytes",  GAUGE, "B",  "read from the type's sources"                                 },
	{ "rows",   GAUGE, "",   "rows of the type in this group; of the agent: all rows of it" },
	{ "errors", GAUGE, "",   "1 if the type could not be read; of the agent: how many"      },
	{ "stalls", GAUGE, "",   "1 if the type was too slow; of the agent: ticks missed"       },
	{ "boottime", GAUGE, "us", "CLOCK_BOOTTIME at the sample"                            },
};

void rows_add_cost(struct rows *r, struct str device, const struct cost *c)
{
	const uint64_t values[COST_METRICS] = { c->cpu_ns, c->bytes, c->rows, c->errors,
						c->stalls, c->boot_us };
	struct row row = rows_add(r, device);
	memcpy(row.value, values, sizeof(values));
	row.present[0] = (1u << COST_METRICS) - 1;
}
