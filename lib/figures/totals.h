/* SPDX-License-Identifier: BSD-3-Clause */
/* totals.h - a figure over all nodes of a job */
#pragma once

#include <stdbool.h>
#include "figures/report.h"

/*
 * A figure over all nodes of a job on which its value is known, in the figure's unit. A share is in
 * percent of all shares of its type; .seconds is the sum of the shares in seconds.
 */
struct total {
	size_t nodes;		/* number of nodes with a known value */
	size_t unknown;	/* number of nodes with counters of the figure, but an unknown value */
	/* number of nodes with a counter that is stuck at its largest value */
	size_t saturated;
	size_t resetting;	/* number of nodes with a counter that was reset too often */
	uint64_t lacking;	/* number of devices, on all nodes, that lack the key */
	/* number of samples, on all nodes, left out because a gauge was negative */
	uint64_t below_0;
	size_t beyond;	/* number of nodes with an impossibly large value */
	/* number of nodes with several samples, but none between the begin and end marks */
	size_t at_edges;
	double n, seconds;
	/* sum of the nodes' rates per second, each over the job's time on the node */
	double rate;
	bool has_rate;
	double mean, min, max;
	size_t min_node, max_node;
	double imbalance;	/* (max - mean) / max, percent */
	/* estimated part of the sum (.n or .seconds), plus what may be missing from the sum */
	double inferred;
	double withheld;	/* estimated amount left out of the sum, because counters fell */
	double inferred_share;	/* .inferred in percent of the sum */
	uint64_t steps[DELTA_HOWS], to_0;
	/* numbers of devices that appeared, disappeared or were restarted during the job */
	uint64_t late, gone, reopened;
	/* a device disappeared at most this many microseconds before the job's end */
	int64_t gone_usec;
	/* number of devices left out because other devices seem to count the same data */
	uint64_t doubles;
	size_t at_least;	/* number of nodes whose value is only a lower bound */
	/* the true total may be larger: some node counted only a part, or nothing */
	bool is_part;
	bool no_row;	/* the figure needs rows of the job itself, and no node has any */
};

/*
 * Compute a figure over all nodes. Returns false if no node has the figure, or no page shows it. If
 * the value is unknown on all nodes, .nodes is 0.
 */
bool total_of(const struct report *r, size_t figure, struct total *ret);

/*
 * Return a figure summed over all nodes on which it is known; 0 if there are none. hidden_count()
 * also accepts figures that no page shows.
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
	double n;			/* the value; a rate is the mean over the nodes */
	enum derived_bound bound;	/* whether the true value is smaller or larger than .n */
	double min, max;
	size_t min_node, max_node;
	struct peak peak;		/* largest peak of a node */
	size_t peak_node;
};
/* Compute derived[i] over all nodes. Returns false if it is unknown on all nodes. */
bool total_derived(const struct report *r, size_t i, struct derived_total *ret);

/* Return a node's value in the unit of struct total: in percent for a share. */
double node_value(const struct node *node, size_t figure);

/* Return how many counter changes are estimates: all except DELTA_OK. */
uint64_t steps_inferred(const uint64_t *steps);
