/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h - the rows of type nodometer: what a writer of records cost, and how many rows they are */
#pragma once

#include "schema/rows.h"

/*
 * Gauges, all of them "in this sample", so that samples of an agent and of single runs from cron
 * add up alike. The row of the writer as a whole, device "-", is the last of its record group: its
 * .rows shows a reader whether the group is whole.
 */
#define COST_METRICS 6
#define COST_TIMELESS 0x1fu		/* all but boottime: the records may be of another time */
extern const struct metric cost_metrics[COST_METRICS];

/* Cost of collecting one type at this moment, or of the writer as a whole. */
struct cost {
	struct str type;	/* empty: nothing to say of this type */
	uint64_t cpu_ns, bytes, rows, errors, stalls, boot_us;
};

/* State of the source of type nodometer: the costs of the other types, */
struct costs {
	const struct cost *type;
	size_t n;
	struct cost agent;	/* and costs that belong to no type */
};

void rows_add_cost(struct rows *r, struct str device, const struct cost *c);
