/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer.c - type nodometer: the agent's own cost */
#include "schema/cost.h"
#include "schema/type.h"

const struct type nodometer_type = {
	.name    = "nodometer",
	.about   = "own cost of the agent",
	.source  = "the agent itself",
	.device  = "type, or - for the agent as a whole",
	METRICS(cost_metrics),
};
