/* SPDX-License-Identifier: BSD-3-Clause */
/* slow.h - compare the nodes of one run: which did the same work more slowly */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

#define SLOW_MEASURES 9
#define SLOW_PEERS    4	/* smallest group of alike nodes that is compared */

/*
 * A comparison of nodes, causes first: a part of the node's CPU time, or a rate of the work,
 * whatever the work is.
 */
extern const struct slow_measure {
	const char *name;	/* name in JSON */
	const char *title;	/* difference from the median of the peers, for people */
	/*
	 * Read the measure on a node. Returns NAN if it is unknown, or if there was too little to
	 * compare.
	 */
	double (*read)(const struct node *n, double seconds);
	enum { SLOW_LESS, SLOW_MORE, SLOW_SHARE } slow;
	/* smallest difference of a slow node: part of the median, or of CPU time */
	double least;
	/* uneven work within the job may cause the difference, too */
	bool of_work;
} slow_measures[SLOW_MEASURES];

struct slow_node {
	float by[SLOW_MEASURES];	/* how much slower than its peers; NAN: not compared */
	/* mask of the measures by which the node is slower than chance allows */
	uint32_t slow;
};

/*
 * Compare the nodes of a job; ret has one entry for each node. A node's peers have as many CPUs,
 * cores and GPUs, the same nominal clock, memory and counters, and the job had them alone and for
 * as long. A node is slow if few nodes are, and if it is further from the median, in robust
 * standard deviations, than one of 30,000 alike nodes would be. Measures with .of_work are not
 * applied to the first node of the job, which often has more to do, nor to neighbours that are slow
 * together, nor to a node whose CPU time differs so much from the median that its work differs.
 */
void slow_of(const struct report *r, struct slow_node *ret);

/* Evaluate the rule of findings; threshold is in percent. */
bool slow_holds(const struct report *r, double threshold, struct buf *why);
