/* SPDX-License-Identifier: BSD-3-Clause */
/* totals.h - one figure over all nodes of a job */
#pragma once

#include <stdbool.h>
#include "report/node.h"

/*
 * .n, .mean, .min and .max are in the figure's unit, those of a share in percent of all shares of
 * its type (.seconds is the time itself). Nodes where it is not known are in none of them.
 */
struct total {
	size_t nodes;		/* where it is known */
	size_t saturated;	/* nodes where it was at the end of its scale */
	double n, seconds;
	double mean, min, max;
	size_t min_node, max_node;
	double imbalance;	/* (max - mean) / max, percent */
	double inferred;	/* part of the sum, of .n or .seconds */
	double inferred_share;	/* the same in percent */
	uint64_t steps[DELTA_HOWS];
	uint64_t late, gone, reopened;	/* devices */
};

/* false: the figure is on no node; .nodes is 0 if it is unknown on all that have it. */
bool total_of(const struct report *r, size_t figure, struct total *ret);

/* A node's value as in struct total: percent for a share. */
double node_value(const struct node *node, size_t figure);

/* Readings that needed a guess: all steps but plain ones. */
uint64_t steps_inferred(const uint64_t *steps);
