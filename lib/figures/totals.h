/* SPDX-License-Identifier: BSD-3-Clause */
/* totals.h - a figure over all nodes of a job */
#pragma once

#include <stdbool.h>
#include "figures/report.h"

/*
 * A figure over all nodes of a job. .n, .mean, .min and .max are in the figure's unit. For a share,
 * they are in percent of all shares of its type, and .seconds is the sum of the shares in seconds.
 * Nodes on which the value is unknown are left out.
 */
struct total {
	size_t nodes;		/* number of nodes with a known value */
	size_t unknown;	/* number of nodes that have the figure's counters but no known value */
	size_t saturated;	/* number of nodes with a counter that has reached its end */
	size_t resetting;	/* number of nodes with a counter that was reset too often */
	uint64_t lacking;	/* number of devices, on all nodes, that lack the key */
	/* number of samples, on all nodes, that were left out because a gauge was negative */
	uint64_t below_0;
	size_t beyond;	/* number of nodes with a value larger than a device or a node can have */
	/* number of nodes with several samples, but none between the begin and end marks */
	size_t at_edges;
	double n, seconds;
	/* sum of the nodes' rates per second, each over the time of the job on that node */
	double rate;
	bool has_rate;
	double mean, min, max;
	size_t min_node, max_node;
	double imbalance;	/* (max - mean) / max, percent */
	/*
	 * estimated amount in the sum (.n or .seconds), plus the amount that may be missing from
	 * the sum
	 */
	double inferred;
	double withheld;	/* estimated amount that is not in the sum, because counters fell */
	double inferred_share;	/* .inferred in percent of the sum */
	uint64_t steps[DELTA_HOWS], to_0;
	/* numbers of devices that appeared, disappeared or were restarted during the job */
	uint64_t late, gone, reopened;
	/* upper bound of the time before the job's end at which a device disappeared */
	int64_t gone_usec;
	/* number of devices left out because other devices seem to count the same data */
	uint64_t doubles;
	size_t at_least;	/* number of nodes on which the job itself may have done more */
	/* the true total may be larger, because some node counted only a part or nothing */
	bool is_part;
	bool no_row;	/* no node has a row of the job itself, which the figure needs */
};

/*
 * Compute a figure over all nodes. Returns false if no node has the figure. .nodes is 0 if the
 * value is unknown on all nodes, or if .no_row is set.
 */
bool total_of(const struct report *r, size_t figure, struct total *ret);

/*
 * Add up a figure over all nodes on which it is known. Returns 0 if it is known on no node.
 * hidden_count() also accepts figures that no page shows.
 */
double total_count(const struct report *r, const char *id);
double hidden_count(const struct report *r, const char *id);

/* Whether this node should have a row of the job itself, but has none. */
bool node_lacks_job(const struct report *r, const struct node *node);

/* A derived figure over all nodes of a job. */
struct derived_total {
	size_t nodes;			/* number of nodes with a known value */
	/* sums over all nodes; for a rate, .under is the sum of the nodes' times */
	struct derived_value all;
	double n;			/* the value; for a rate, the mean over the nodes */
	enum derived_bound bound;	/* side of .n on which the true value lies */
	double min, max;
	size_t min_node, max_node;
	struct peak peak;		/* largest peak of a node */
	size_t peak_node;
};
bool total_derived(const struct report *r, size_t i, struct derived_total *ret);

/* Return a node's value in the unit of struct total: in percent for a share. */
double node_value(const struct node *node, size_t figure);

/* Count the changes between readings that are estimates: all changes except DELTA_OK. */
uint64_t steps_inferred(const uint64_t *steps);
