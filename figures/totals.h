/* SPDX-License-Identifier: BSD-3-Clause */
/* totals.h - one figure over all nodes of a job */
#pragma once

#include <stdbool.h>
#include "figures/report.h"

/*
 * .n, .mean, .min and .max are in the figure's unit, those of a share in percent of all shares of
 * its type (.seconds is the time itself). Nodes where it is not known are in none of them.
 */
struct total {
	size_t nodes;		/* whose value is known */
	size_t unknown;		/* nodes without a known value, because counters were */
	size_t saturated;	/* at the end of their scale, */
	size_t resetting;	/* or set back all the time, */
	size_t beyond;		/* or faster than a device or the node can be */
	size_t at_edges;	/* nodes of several samples, with none between the marks */
	double n, seconds;
	double rate;		/* per second: the sum of the nodes', each over its own time */
	bool has_rate;
	double mean, min, max;
	size_t min_node, max_node;
	double imbalance;	/* (max - mean) / max, percent */
	double inferred;	/* part of the sum, of .n or .seconds */
	double inferred_share;	/* the same in percent */
	uint64_t steps[DELTA_HOWS], to_0;
	uint64_t late, gone, reopened;	/* devices */
	int64_t gone_usec;	/* how long before the end, at most */
	uint64_t doubles;	/* devices that others seem to count for */
	size_t at_least;	/* nodes where more of the job itself may have been */
	bool is_part;		/* so all of it may be more: of these, or of nodes without it */
	bool no_row;		/* of the job itself, and no node has a row of it */
};

/*
 * false: the figure is on no node; .nodes is 0 if it is unknown on all that have it, or if it is of
 * the job itself and .no_row.
 */
bool total_of(const struct report *r, size_t figure, struct total *ret);

/* A figure over all nodes that know it, 0 if none does; those that pages hide, too. */
double total_count(const struct report *r, const char *id);
double hidden_count(const struct report *r, const char *id);

/* Whether this node should have a row of the job itself, and has none. */
bool node_lacks_job(const struct report *r, const struct node *node);

/* A derived figure over all nodes of a job. */
struct derived_total {
	size_t nodes;			/* where it is known */
	struct derived_value all;	/* of all of them; the time is that of all nodes together */
	double n;			/* as a number: of a rate, the mean of the nodes */
	enum derived_bound bound;	/* on which side of it the value is */
	double min, max;
	size_t min_node, max_node;
	struct peak peak;		/* the largest of a node, */
	size_t peak_node;
};
bool total_derived(const struct report *r, size_t i, struct derived_total *ret);

/* A node's value as in struct total: percent for a share. */
double node_value(const struct node *node, size_t figure);

/* Readings that needed a guess: all steps but plain ones. */
uint64_t steps_inferred(const uint64_t *steps);
