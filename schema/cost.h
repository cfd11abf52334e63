/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h - the rows of type nodometer: what a writer of records cost, and how many rows they are */
#pragma once

#include "schema/sample.h"

/*
 * Gauges, all of them "in this sample", so that samples of an agent and of single runs from cron
 * add up alike. The row of the writer as a whole, device "-", is the last of its record group: its
 * .rows tells a reader whether the group is whole.
 */
#define COST_METRICS 5
#define COST_MASK    0x1fu		/* all of them are in the schema */
extern const struct metric cost_metrics[COST_METRICS];

void sample_cost_row(struct sample *s, const char *device, const struct cost *c);
