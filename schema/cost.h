/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h - rows of type nodometer: the cost of writing a record, and its number of rows */
#pragma once

#include "schema/rows.h"

/*
 * Keys of type nodometer: costs of one sample. They are gauges, so that the costs of many samples
 * can be added, even if a separate run from cron took each sample. The row with device "-" has the
 * cost of the whole program. This row is the last of its record, and its key "rows" shows if the
 * record is complete.
 */
#define COST_METRICS 6
/* mask of all keys but boottime: records written later than their sample lack boottime */
#define COST_TIMELESS 0x1fu
extern const struct metric cost_metrics[COST_METRICS];

/*
 * Cost of collecting one type in a sample, or of the whole program that writes the record: the
 * values of cost_metrics, in the same order.
 */
struct cost {
	struct str type;	/* name of the type; empty: write no row */
	uint64_t cpu_ns, bytes, rows, errors, stalls, boot_us;
};

/* Costs of a sample, from which the rows of type nodometer are made. */
struct costs {
	const struct cost *type;
	size_t n;
	struct cost agent;	/* costs of the whole agent */
};

void rows_add_cost(struct rows *r, struct str device, const struct cost *c);
