/* SPDX-License-Identifier: BSD-3-Clause */
/* totals.h - a figure over all nodes of a job */
#pragma once

#include <stdbool.h>
#include "figures/report.h"

/*
 * A figure over all nodes. .n, .mean, .min and .max are in the figure's unit, or for a share in
 * percent of all shares of its type (.seconds is the time itself). Nodes with an unknown value are
 * left out.
 */
struct total {
	size_t nodes;		/* nodes with a known value */
	size_t unknown;		/* nodes whose value is unknown because of their counters */
	size_t saturated;	/* nodes with a counter at the end of its scale */
	size_t resetting;	/* nodes with a counter that went back too often */
	uint64_t lacking;	/* devices of all nodes that lack the key */
	uint64_t below_0;	/* samples of all nodes that were left out: a gauge was below 0 */
	size_t beyond;		/* nodes with a value beyond what a device or a node can do */
	size_t at_edges;	/* nodes with several samples, but none between the marks */
	double n, seconds;
	/* sum of the nodes' rates per second, each over the node's own time */
	double rate;
	bool has_rate;
	double mean, min, max;
	size_t min_node, max_node;
	double imbalance;	/* (max - mean) / max, percent */
	/* inferred part of the sum (.n or .seconds), plus the amount that may be missing */
	double inferred;
	/* part of .inferred that is not in the sum, because counters fell */
	double withheld;
	double inferred_share;	/* .inferred in percent */
	uint64_t steps[DELTA_HOWS], to_0;
	/* devices that appeared, disappeared or restarted during the job */
	uint64_t late, gone, reopened;
	int64_t gone_usec;	/* longest time before the end that a device may have been gone */
	uint64_t doubles;	/* devices left out: others seem to count the same */
	size_t at_least;	/* nodes where the job itself may have done more */
	/* the total may be larger: on these nodes, or on nodes without the figure */
	bool is_part;
	/* the figure is of the job itself, and no node has a row of the job */
	bool no_row;
};

/*
 * Compute a figure over all nodes. Returns false if no node has the figure. .nodes is 0 if the
 * figure is unknown on all nodes, or if .no_row is set.
 */
bool total_of(const struct report *r, size_t figure, struct total *ret);

/*
 * Sum a figure over all nodes that know it; 0 if none does. hidden_count() also finds figures that
 * pages hide.
 */
double total_count(const struct report *r, const char *id);
double hidden_count(const struct report *r, const char *id);

/* Whether this node should have a row of the job itself, and has none. */
bool node_lacks_job(const struct report *r, const struct node *node);

/* A derived figure over all nodes of a job. */
struct derived_total {
	size_t nodes;			/* nodes with a known value */
	/* sum of all nodes; the time is that of all nodes together */
	struct derived_value all;
	double n;			/* the value; for a rate, the mean of the nodes */
	enum derived_bound bound;	/* side of .n on which the true value lies */
	double min, max;
	size_t min_node, max_node;
	struct peak peak;		/* largest peak of a node */
	size_t peak_node;
};
bool total_derived(const struct report *r, size_t i, struct derived_total *ret);

/* Compute a node's value in the unit of struct total: percent for a share. */
double node_value(const struct node *node, size_t figure);

/* Count the steps that needed a guess: all but plain ones. */
uint64_t steps_inferred(const uint64_t *steps);
