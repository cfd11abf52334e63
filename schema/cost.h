/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h - rows of type nodometer: the cost of writing a record, and its number of rows */
#pragma once

#include "schema/rows.h"

/*
 * The keys are gauges that describe one sample. So the samples of an agent, and of separate runs
 * from cron, can be summed in the same way. The row with device "-" has the cost of the whole
 * writer. It is the last row of its record group, and its key "rows" shows if the record is
 * complete.
 */
#define COST_METRICS 6
/* mask of all keys but boottime, which records that are written late do not have */
#define COST_TIMELESS 0x1fu
extern const struct metric cost_metrics[COST_METRICS];

/* Cost of collecting one type in a sample, or of the whole writer. */
struct cost {
	struct str type;	/* type name; empty: write no row */
	uint64_t cpu_ns, bytes, rows, errors, stalls, boot_us;
};

/* Costs of a sample, the input for type nodometer. */
struct costs {
	const struct cost *type;
	size_t n;
	struct cost agent;	/* costs of the whole agent */
};

void rows_add_cost(struct rows *r, struct str device, const struct cost *c);
