/* SPDX-License-Identifier: BSD-3-Clause */
/* totals.h - a figure over all nodes of a job */
#pragma once

#include <stdbool.h>
#include "figures/report.h"

/*
 * A figure over all nodes of a job on which it is known, in the unit of the figure. A FIGURE_SHARE
 * is in percent of the sum of all shares of its record type, and .seconds is its sum in seconds.
 */
struct total {
	size_t nodes;		/* number of nodes with a known value */
	size_t unknown;	/* number of nodes that have the figure, but with an unknown value */
	/* number of nodes with a counter that is stuck at its largest value */
	size_t saturated;
	size_t resetting;	/* number of nodes with a counter that was reset too often */
	/* number of devices, on all nodes, that lack the key of the figure */
	uint64_t lacking;
	/* number of samples, on all nodes, left out because a gauge was negative */
	uint64_t below_0;
	size_t beyond;	/* number of nodes with an impossibly large value (limits.h) */
	/*
	 * number of nodes with several samples, but with this gauge only at the begin and end marks
	 */
	size_t at_edges;
	double n, seconds;
	/* sum of the rates per second of the nodes, each over the job's time on that node */
	double rate;
	bool has_rate;
	double mean, min, max;
	size_t min_node, max_node;
	double imbalance;	/* (max - mean) / max, percent */
	/*
	 * estimated part of the sum (.n or .seconds), plus the amount that may be missing from the
	 * sum
	 */
	double inferred;
	double withheld;	/* amount that may be missing from the sum, because counters fell */
	double inferred_share;	/* .inferred in percent of the sum */
	uint64_t steps[DELTA_HOWS], to_0;
	/* numbers of devices that appeared, disappeared or were restarted during the job */
	uint64_t late, gone, reopened;
	/* largest time, in microseconds, from the disappearance of a device to the job's end */
	int64_t gone_usec;
	/* number of devices left out because other devices seem to count the same data */
	uint64_t doubles;
	size_t at_least;	/* number of nodes with a value that is only a lower bound */
	/* the true total may be larger: some node has only a part of the figure, or lacks it */
	bool is_part;
	/* the figure is of the job itself, and no node has a row of type job for it */
	bool no_row;
};

/*
 * Compute a figure over all nodes. Returns false if no node has the figure, or if no page shows the
 * figure. If its value is unknown on all nodes, .nodes is 0.
 */
bool total_of(const struct report *r, size_t figure, struct total *ret);

/*
 * Return the sum of a figure over all nodes on which it is known; 0 if there are none.
 * total_count() only accepts figures that a page shows, hidden_count() accepts all.
 */
double total_count(const struct report *r, const char *id);
double hidden_count(const struct report *r, const char *id);

/* Whether this node has no row of type job for the job, although it should have. */
bool node_lacks_job(const struct report *r, const struct node *node);

/* A derived figure over all nodes of a job. */
struct derived_total {
	size_t nodes;			/* number of nodes with a known value */
	/* sums over all nodes; for a rate, .under is the sum of the nodes' times */
	struct derived_value all;
	double n;	/* the value over all nodes; for a rate, the mean over the nodes */
	enum derived_bound bound;	/* whether the true value is smaller or larger than .n */
	double min, max;
	size_t min_node, max_node;
	struct peak peak;		/* largest .peak of any node */
	size_t peak_node;
};
/* Compute derived[i] over all nodes. Returns false if it is unknown on all nodes. */
bool total_derived(const struct report *r, size_t i, struct derived_total *ret);

/*
 * Return the value of a figure on a node in the unit of struct total: percent for a FIGURE_SHARE.
 */
double node_value(const struct node *node, size_t figure);

/* Return the number of steps that are estimates: all kinds except DELTA_OK. */
uint64_t steps_inferred(const uint64_t *steps);
